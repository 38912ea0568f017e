/** English: the inbox's words that every other language has its own of. */
export const words = {
  inbox: "Inbox",
  skip: "Skip to the requests",
  refresh: "Look for news",
  search: "Search",

  group_mine: "Yours",
  group_open: "Open to you",
  group_waiting: "Waiting for an answer",
  group_done: "Done",
  tab_open: "Open",
  tab_waiting: "Waiting",
  show: "Show",
  show_all: "All",
  new_only: "New only",
  every_household: "Every household",
  count_new: "{n} new",
  is_new: "New",
  more: "Show more",
  nothing: "Nothing to do. You will see it here when somebody needs you.",
  nothing_found: "Nothing found.",

  open: "Open",
  by: "{name} asks",
  taken_by: "{name} has it",

  offline_since: "No network. This is what was known {ago}. You can go on; everything is kept.",
  index_away:
    "The list is not complete: the search index does not answer. What was known is shown.",
  sign_in: "Sign in",
  closed: "Sign in to see your requests",
  closed_how:
    "Your inbox shows all requests for you. Sign in once on this device, or open a link that was sent to you: its request appears here.",
  broken: "The inbox did not load",

  install: "Put it on your home screen",
  install_how: "It opens like an app, also without network.",
  install_now: "Install",
  install_ios: "Tap Share, then “Add to Home Screen”.",
  not_now: "Not now",

  push: "Notifications",
  push_ask: "Be told when somebody needs you",
  push_how:
    "This device shows a notification with the request. You can take it from there. The browser asks for your permission next; you can switch it off here at any time.",
  push_on: "Turn on",
  push_off: "Turn off",
  push_is_on: "This device is told of new requests.",
  push_is_off: "This device is not told of new requests.",
  push_denied: "Notifications are blocked. Allow them for this page in the browser’s settings.",
  push_failed: "That did not work. Try again later.",
  push_missing:
    "This browser has no notifications. On an iPhone, put the inbox on the home screen first.",
  push_for: "For {name}",

  note_offer: "{name} asks",
  note_cannot: "Can’t",
  note_taken: "{name} has it now.",
  note_over: "No longer needed.",
  note_mine: "It is yours.",
  note_declined: "You declined.",
  note_kept: "Kept on this device. It is sent as soon as you are online.",
  note_failed: "That was not taken: {why}",
};
