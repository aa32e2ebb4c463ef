/// The files of the page, which are part of the program.
struct Asset {
  let type: String
  let bytes: [UInt8]

  /// Each file of `Page` by its name.
  static let all: [String: @Sendable () -> Asset] = [
    "announcer.js": { Asset(type: script, bytes: PackageResources.announcer_js) },
    "ansi.js": { Asset(type: script, bytes: PackageResources.ansi_js) },
    "api.js": { Asset(type: script, bytes: PackageResources.api_js) },
    "app.js": { Asset(type: script, bytes: PackageResources.app_js) },
    "base.css": { Asset(type: style, bytes: PackageResources.base_css) },
    "cells.js": { Asset(type: script, bytes: PackageResources.cells_js) },
    "clock.js": { Asset(type: script, bytes: PackageResources.clock_js) },
    "command-form.js": { Asset(type: script, bytes: PackageResources.command_form_js) },
    "command-row.js": { Asset(type: script, bytes: PackageResources.command_row_js) },
    "commands-view.js": { Asset(type: script, bytes: PackageResources.commands_view_js) },
    "commands.css": { Asset(type: style, bytes: PackageResources.commands_css) },
    "confirm-dialog.js": { Asset(type: script, bytes: PackageResources.confirm_dialog_js) },
    "connection.js": { Asset(type: script, bytes: PackageResources.connection_js) },
    "dom.js": { Asset(type: script, bytes: PackageResources.dom_js) },
    "door.js": { Asset(type: script, bytes: PackageResources.door_js) },
    "event-stream.js": { Asset(type: script, bytes: PackageResources.event_stream_js) },
    "event-text.js": { Asset(type: script, bytes: PackageResources.event_text_js) },
    "execution-row.js": { Asset(type: script, bytes: PackageResources.execution_row_js) },
    "executions-view.js": { Asset(type: script, bytes: PackageResources.executions_view_js) },
    "field.js": { Asset(type: script, bytes: PackageResources.field_js) },
    "frame.js": { Asset(type: script, bytes: PackageResources.frame_js) },
    "header-view.js": { Asset(type: script, bytes: PackageResources.header_view_js) },
    "hub-client.js": { Asset(type: script, bytes: PackageResources.hub_client_js) },
    "hub.js": { Asset(type: script, bytes: PackageResources.hub_js) },
    "icon.svg": { Asset(type: picture, bytes: PackageResources.icon_svg) },
    "index.html": { Asset(type: html, bytes: PackageResources.index_html) },
    "keys.js": { Asset(type: script, bytes: PackageResources.keys_js) },
    "layout.css": { Asset(type: style, bytes: PackageResources.layout_css) },
    "line-search.js": { Asset(type: script, bytes: PackageResources.line_search_js) },
    "line-view.js": { Asset(type: script, bytes: PackageResources.line_view_js) },
    "lines.js": { Asset(type: script, bytes: PackageResources.lines_js) },
    "main.js": { Asset(type: script, bytes: PackageResources.main_js) },
    "messages-view.js": { Asset(type: script, bytes: PackageResources.messages_view_js) },
    "model.js": { Asset(type: script, bytes: PackageResources.model_js) },
    "output-list.js": { Asset(type: script, bytes: PackageResources.output_list_js) },
    "output-record.js": { Asset(type: script, bytes: PackageResources.output_record_js) },
    "output-view.js": { Asset(type: script, bytes: PackageResources.output_view_js) },
    "output.css": { Asset(type: style, bytes: PackageResources.output_css) },
    "pin.js": { Asset(type: script, bytes: PackageResources.pin_js) },
    "presses.js": { Asset(type: script, bytes: PackageResources.presses_js) },
    "pull.js": { Asset(type: script, bytes: PackageResources.pull_js) },
    "record.css": { Asset(type: style, bytes: PackageResources.record_css) },
    "roving.js": { Asset(type: script, bytes: PackageResources.roving_js) },
    "scroll-scale.js": { Asset(type: script, bytes: PackageResources.scroll_scale_js) },
    "selection.js": { Asset(type: script, bytes: PackageResources.selection_js) },
    "session.js": { Asset(type: script, bytes: PackageResources.session_js) },
    "state-text.js": { Asset(type: script, bytes: PackageResources.state_text_js) },
    "tabs.js": { Asset(type: script, bytes: PackageResources.tabs_js) },
    "text-style.js": { Asset(type: script, bytes: PackageResources.text_style_js) },
    "time-text.js": { Asset(type: script, bytes: PackageResources.time_text_js) },
    "timeline-view.js": { Asset(type: script, bytes: PackageResources.timeline_view_js) },
    "token.js": { Asset(type: script, bytes: PackageResources.token_js) },
    "tracks.js": { Asset(type: script, bytes: PackageResources.tracks_js) },
    "views.js": { Asset(type: script, bytes: PackageResources.views_js) },
    "virtual-list.js": { Asset(type: script, bytes: PackageResources.virtual_list_js) },
    "workers-view.js": { Asset(type: script, bytes: PackageResources.workers_view_js) },
    "worker.js": { Asset(type: script, bytes: PackageResources.worker_js) },
  ]

  static let html = "text/html; charset=utf-8"
  static let script = "text/javascript; charset=utf-8"
  static let style = "text/css; charset=utf-8"
  static let picture = "image/svg+xml"

  /// Returns the file at a path; `/` is `index.html`.
  static func at(_ path: String) -> Asset? {
    guard path.hasPrefix("/") else { return nil }
    let name = path == "/" ? "index.html" : String(path.dropFirst())
    return all[name]?()
  }
}
