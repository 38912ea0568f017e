/** English texts of the inbox. Every other language has the same keys. */
export const words = {
  inbox: "Inbox",
  skip: "Skip to the requests",
  refresh: "Refresh",
  search: "Search",

  group_mine: "Yours",
  group_open: "Up for grabs",
  group_waiting: "Waiting for an answer",
  group_done: "Done",
  tab_open: "Open",
  tab_waiting: "Waiting",
  show: "Show",
  show_all: "All",
  new_only: "Only new",
  every_household: "All households",
  count_new: "{n} new",
  is_new: "New",
  more: "Show more",
  nothing: "Nothing to do. Requests for you will appear here.",
  nothing_found: "Nothing found.",

  open: "Open",
  by: "From {name}",
  taken_by: "{name} is on it",

  offline_since: "You’re offline. Last updated {ago}. You can keep working. Everything is saved.",
  index_away: "This list may be incomplete because search isn’t available right now.",
  sign_in: "Sign in",
  closed: "Sign in to see your requests",
  closed_how:
    "Your inbox shows all requests for you. Sign in once on this device, or open a link you were sent to see its request here.",
  broken: "Couldn’t load the inbox",

  install: "Add to your home screen",
  install_how: "It opens like an app, even offline.",
  install_now: "Install",
  install_ios: "Tap Share, then “Add to Home Screen”.",
  not_now: "Not now",

  push: "Notifications",
  push_ask: "Get notified when you’re needed",
  push_how:
    "You’ll get a notification for each new request and can accept it right there. Your browser will ask for permission next. You can turn this off here at any time.",
  push_on: "Turn on",
  push_off: "Turn off",
  push_is_on: "Notifications are on for this device.",
  push_is_off: "Notifications are off for this device.",
  push_denied: "Notifications are blocked. Allow them for this site in your browser’s settings.",
  push_failed: "That didn’t work. Please try again later.",
  push_missing:
    "This browser doesn’t support notifications. On an iPhone, add the inbox to your home screen first.",
  push_for: "For {name}",

  note_offer: "From {name}",
  note_cannot: "Can’t",
  note_taken: "{name} is on it.",
  note_over: "No longer needed.",
  note_mine: "You’ve taken it.",
  note_declined: "You declined.",
  note_kept: "Saved on this device. We’ll send it when you’re back online.",
  note_failed: "That didn’t work: {why}",
};
