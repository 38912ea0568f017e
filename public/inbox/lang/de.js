/** Deutsch. */
export const words = {
  inbox: "Eingang",
  skip: "Zu den Anfragen springen",
  refresh: "Nach Neuem sehen",
  search: "Suchen",

  group_mine: "Deine",
  group_open: "Offen für dich",
  group_waiting: "Wartet auf Antwort",
  group_done: "Erledigt",
  tab_open: "Offen",
  tab_waiting: "Wartend",
  show: "Anzeigen",
  show_all: "Alle",
  new_only: "Nur Neues",
  every_household: "Alle Haushalte",
  count_new: "{n} neu",
  is_new: "Neu",
  more: "Mehr zeigen",
  nothing: "Nichts zu tun. Hier erscheint es, wenn dich jemand braucht.",
  nothing_found: "Nichts gefunden.",

  open: "Öffnen",
  by: "{name} fragt",
  taken_by: "{name} hat es übernommen",

  offline_since:
    "Kein Netz. Das war der Stand {ago}. Du kannst weitermachen; alles wird aufgehoben.",
  index_away:
    "Die Liste ist nicht vollständig: Das Suchverzeichnis antwortet nicht. Gezeigt wird, was bekannt war.",
  sign_in: "Anmelden",
  closed: "Melde dich an, um deine Anfragen zu sehen",
  closed_how:
    "Dein Eingang zeigt alle Anfragen an dich. Melde dich einmal auf diesem Gerät an, oder öffne einen Link, den du bekommen hast: Seine Anfrage erscheint dann hier.",
  broken: "Der Eingang wurde nicht geladen",

  install: "Auf den Startbildschirm legen",
  install_how: "Er öffnet sich wie eine App, auch ohne Netz.",
  install_now: "Installieren",
  install_ios: "Tippe auf „Teilen“, dann auf „Zum Home-Bildschirm“.",
  not_now: "Nicht jetzt",

  push: "Mitteilungen",
  push_ask: "Erfahre es, wenn dich jemand braucht",
  push_how:
    "Dieses Gerät zeigt eine Mitteilung mit der Anfrage. Du kannst sie von dort aus übernehmen. Als Nächstes fragt der Browser um Erlaubnis; abschalten kannst du es hier jederzeit.",
  push_on: "Einschalten",
  push_off: "Ausschalten",
  push_is_on: "Dieses Gerät zeigt neue Anfragen an.",
  push_is_off: "Dieses Gerät zeigt neue Anfragen nicht an.",
  push_denied:
    "Mitteilungen sind gesperrt. Erlaube sie für diese Seite in den Einstellungen des Browsers.",
  push_failed: "Das hat nicht geklappt. Versuche es später noch einmal.",
  push_missing:
    "Dieser Browser kennt keine Mitteilungen. Auf einem iPhone lege den Eingang zuerst auf den Home-Bildschirm.",
  push_for: "Für {name}",

  note_offer: "{name} fragt",
  note_cannot: "Geht nicht",
  note_taken: "{name} hat es jetzt.",
  note_over: "Nicht mehr nötig.",
  note_mine: "Du hast es übernommen.",
  note_declined: "Du hast abgelehnt.",
  note_kept: "Auf diesem Gerät aufgehoben. Es wird gesendet, sobald du online bist.",
  note_failed: "Das wurde nicht angenommen: {why}",
};
