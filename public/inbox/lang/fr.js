/** Français. */
export const words = {
  inbox: "Boîte de réception",
  skip: "Aller aux demandes",
  refresh: "Chercher du nouveau",
  search: "Rechercher",

  group_mine: "Les vôtres",
  group_open: "Ouvertes pour vous",
  group_waiting: "En attente d’une réponse",
  group_done: "Terminées",
  tab_open: "Ouvertes",
  tab_waiting: "En attente",
  show: "Afficher",
  show_all: "Toutes",
  new_only: "Nouvelles seulement",
  every_household: "Tous les foyers",
  count_new: "{n} nouvelles",
  is_new: "Nouvelle",
  more: "En afficher plus",
  nothing: "Rien à faire. Cela apparaîtra ici quand quelqu’un aura besoin de vous.",
  nothing_found: "Rien trouvé.",

  open: "Ouvrir",
  by: "{name} demande",
  taken_by: "{name} s’en occupe",

  offline_since:
    "Pas de réseau. Voici ce que l’on savait {ago}. Vous pouvez continuer ; tout est gardé.",
  index_away:
    "La liste n’est pas complète : l’index de recherche ne répond pas. Ce que l’on savait est affiché.",
  sign_in: "Se connecter",
  closed: "Connectez-vous pour voir vos demandes",
  closed_how:
    "Votre boîte de réception montre toutes les demandes pour vous. Connectez-vous une fois sur cet appareil, ou ouvrez un lien que vous avez reçu : sa demande apparaîtra ici.",
  broken: "La boîte de réception n’a pas été chargée",

  install: "Mettez-la sur votre écran d’accueil",
  install_how: "Elle s’ouvre comme une application, même sans réseau.",
  install_now: "Installer",
  install_ios: "Touchez Partager, puis « Sur l’écran d’accueil ».",
  not_now: "Pas maintenant",

  push: "Notifications",
  push_ask: "Sachez quand quelqu’un a besoin de vous",
  push_how:
    "Cet appareil affiche une notification avec la demande. Vous pouvez l’accepter depuis là. Le navigateur va vous demander votre autorisation ; vous pouvez arrêter ici à tout moment.",
  push_on: "Activer",
  push_off: "Désactiver",
  push_is_on: "Cet appareil annonce les nouvelles demandes.",
  push_is_off: "Cet appareil n’annonce pas les nouvelles demandes.",
  push_denied:
    "Les notifications sont bloquées. Autorisez-les pour cette page dans les réglages du navigateur.",
  push_failed: "Cela n’a pas marché. Réessayez plus tard.",
  push_missing:
    "Ce navigateur n’a pas de notifications. Sur un iPhone, mettez d’abord la boîte sur l’écran d’accueil.",
  push_for: "Pour {name}",

  note_offer: "{name} demande",
  note_cannot: "Impossible",
  note_taken: "{name} s’en occupe maintenant.",
  note_over: "Plus nécessaire.",
  note_mine: "Elle est à vous.",
  note_declined: "Vous avez refusé.",
  note_kept: "Gardé sur cet appareil. Ce sera envoyé dès que vous serez en ligne.",
  note_failed: "Cela n’a pas été accepté : {why}",
};
