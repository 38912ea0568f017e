/** Deutsch. */
export const words = {
  inbox: "Eingang",
  skip: "Zu den Anfragen springen",
  refresh: "Aktualisieren",
  search: "Suchen",

  group_mine: "Deine Aufgaben",
  group_open: "Noch zu vergeben",
  group_waiting: "Warten auf Antwort",
  group_done: "Erledigt",
  tab_open: "Offen",
  tab_waiting: "Wartend",
  show: "Anzeigen",
  show_all: "Alle",
  new_only: "Nur neue",
  sort: "Reihenfolge",
  sort_urgent: "Dringendes zuerst",
  sort_due: "Nach Frist",
  every_household: "Alle Haushalte",
  count_new: "{n} neu",
  is_new: "Neu",
  more: "Mehr anzeigen",
  nothing: "Nichts zu tun. Neue Anfragen an dich erscheinen hier.",
  nothing_found: "Nichts gefunden.",

  open: "Öffnen",
  by: "Von {name}",
  taken_by: "{name} kümmert sich darum",
  answer_was: "Du: {text}",

  offline_since:
    "Du bist offline. Zuletzt aktualisiert {ago}. Du kannst weitermachen, alles wird gespeichert.",
  index_away: "Die Liste ist vielleicht unvollständig, weil die Suche gerade nicht verfügbar ist.",
  sign_in: "Anmelden",
  account: "Konto",
  signed_in_as: "Angemeldet als {name} ({household})",
  sign_out: "Abmelden oder Passkeys verwalten",
  closed: "Melde dich an, um deine Anfragen zu sehen",
  closed_how:
    "Dein Eingang zeigt alle Anfragen an dich. Melde dich einmal auf diesem Gerät an. Oder öffne einen Link, den du bekommen hast, um seine Anfrage hier zu sehen.",
  broken: "Der Eingang konnte nicht geladen werden",

  install: "Zum Startbildschirm hinzufügen",
  install_how: "Öffnet sich wie eine App, auch offline.",
  install_now: "Installieren",
  install_ios: "Tippe auf „Teilen“, dann auf „Zum Home-Bildschirm“.",
  not_now: "Nicht jetzt",

  push: "Benachrichtigungen",
  push_ask: "Benachrichtigungen, wenn du gebraucht wirst",
  push_how:
    "Du bekommst bei jeder neuen Anfrage eine Benachrichtigung und kannst sie dort gleich annehmen. Als Nächstes fragt dich der Browser um Erlaubnis. Du kannst das hier jederzeit ausschalten.",
  push_on: "Einschalten",
  push_off: "Ausschalten",
  push_is_on: "Benachrichtigungen sind auf diesem Gerät eingeschaltet.",
  push_is_off: "Benachrichtigungen sind auf diesem Gerät ausgeschaltet.",
  push_denied:
    "Benachrichtigungen sind blockiert. Erlaube sie für diese Seite in den Browser-Einstellungen.",
  push_failed: "Das hat nicht geklappt. Versuch es später noch einmal.",
  push_missing:
    "Dieser Browser unterstützt keine Benachrichtigungen. Füge den Eingang auf dem iPhone zuerst zum Home-Bildschirm hinzu.",
  push_for: "Für {name}",

  note_offer: "Von {name}",
  note_cannot: "Geht nicht",
  note_taken: "{name} kümmert sich darum.",
  note_over: "Wird nicht mehr gebraucht.",
  note_mine: "Du hast es übernommen.",
  note_declined: "Du hast abgelehnt.",
  note_kept: "Auf diesem Gerät gespeichert. Wir senden es, sobald du wieder online bist.",
  note_failed: "Das hat nicht geklappt: {why}",
};
