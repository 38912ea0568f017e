/** Français. */
export const words = {
  inbox: "Boîte de réception",
  skip: "Aller aux demandes",
  refresh: "Actualiser",
  search: "Rechercher",

  group_mine: "Les vôtres",
  group_open: "À prendre",
  group_waiting: "En attente de réponse",
  group_done: "Terminées",
  tab_open: "Ouvertes",
  tab_waiting: "En attente",
  show: "Afficher",
  show_all: "Toutes",
  new_only: "Nouvelles seulement",
  sort: "Ordre",
  sort_urgent: "Urgentes d’abord",
  sort_due: "Par échéance",
  every_household: "Tous les foyers",
  count_new: "{n} nouvelles",
  is_new: "Nouvelle",
  more: "Afficher plus",
  nothing: "Rien à faire. Les demandes pour vous apparaîtront ici.",
  nothing_found: "Aucun résultat.",

  open: "Ouvrir",
  by: "De {name}",
  taken_by: "{name} s’en occupe",
  answer_was: "Vous : {text}",

  offline_since:
    "Vous êtes hors ligne. Dernière mise à jour {ago}. Vous pouvez continuer, tout est enregistré.",
  index_away:
    "Cette liste est peut-être incomplète : la recherche est indisponible pour le moment.",
  sign_in: "Se connecter",
  account: "Compte",
  signed_in_as: "Session de {name} ({household})",
  sign_out: "Se déconnecter ou gérer les clés d’accès",
  closed: "Connectez-vous pour voir vos demandes",
  closed_how:
    "Votre boîte de réception affiche toutes vos demandes. Connectez-vous une fois sur cet appareil, ou ouvrez un lien reçu pour voir sa demande ici.",
  broken: "Impossible de charger la boîte de réception",

  install: "Ajouter à l’écran d’accueil",
  install_how: "S’ouvre comme une application, même hors ligne.",
  install_now: "Installer",
  install_ios: "Touchez Partager, puis « Sur l’écran d’accueil ».",
  not_now: "Pas maintenant",

  push: "Notifications",
  push_ask: "Recevez une notification quand on a besoin de vous",
  push_how:
    "Vous recevrez une notification pour chaque nouvelle demande et pourrez l’accepter directement. Votre navigateur va vous demander l’autorisation. Vous pouvez désactiver cela ici à tout moment.",
  push_on: "Activer",
  push_off: "Désactiver",
  push_is_on: "Les notifications sont activées sur cet appareil.",
  push_is_off: "Les notifications sont désactivées sur cet appareil.",
  push_denied:
    "Les notifications sont bloquées. Autorisez-les pour ce site dans les réglages du navigateur.",
  push_failed: "Cela n’a pas marché. Réessayez plus tard.",
  push_missing:
    "Ce navigateur ne prend pas en charge les notifications. Sur iPhone, ajoutez d’abord la boîte à l’écran d’accueil.",
  push_for: "Pour {name}",

  note_offer: "De {name}",
  note_cannot: "Je ne peux pas",
  note_taken: "{name} s’en occupe.",
  note_over: "Plus nécessaire.",
  note_mine: "Vous vous en chargez.",
  note_declined: "Vous avez refusé.",
  note_kept: "Enregistré sur cet appareil. L’envoi se fera dès que vous serez en ligne.",
  note_failed: "Cela n’a pas marché : {why}",
};
