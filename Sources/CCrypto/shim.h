// The direct functions: those that OpenSSL 3 offers in their place look up an algorithm by its name,
// which costs more than the digest of a small file, and need far more of the library.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
