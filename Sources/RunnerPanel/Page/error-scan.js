import { LineScan } from "./line-scan.js";
import { Kind } from "./lines.js";

/** How compilers, test runners and interpreters begin to say that something is wrong. */
const ERROR = new RegExp(
  [
    /(?<![\w-])(?:fatal )?(?:error|fatal|panic)(?:\[\w+\])?(?: [A-Z]+\d+)?(?::|!|$)/,
    /(?<![\w-])(?:[A-Z]\w*)?(?:Error|Exception|FATAL|PANIC|ERROR|ERR!|CRITICAL)(?::|!| |\]|$)/,
    /^(?:Traceback \(most|\s*--- FAIL|FAILED\b|FAIL\b|not ok\b|[✘✗×] |E {3}\S)/,
  ].map((part) => part.source).join("|"));

/** Finds the lines that tell of errors, by their words. */
export class ErrorScan extends LineScan {
  has(line) {
    if (this.lines.kind(line) === Kind.step) return false;
    return ERROR.test(this.lines.plain(line).slice(0, 400));
  }
}

/** Finds the lines of standard error. */
export class StandardErrorScan extends LineScan {
  has(line) {
    return this.lines.kind(line) === Kind.error;
  }
}
