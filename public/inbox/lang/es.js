/** Español. */
export const words = {
  inbox: "Bandeja de entrada",
  skip: "Ir a las peticiones",
  refresh: "Buscar novedades",
  search: "Buscar",

  group_mine: "Tuyas",
  group_open: "Abiertas para ti",
  group_waiting: "A la espera de respuesta",
  group_done: "Hechas",
  tab_open: "Abiertas",
  tab_waiting: "En espera",
  show: "Mostrar",
  show_all: "Todas",
  new_only: "Solo nuevas",
  every_household: "Todos los hogares",
  count_new: "{n} nuevas",
  is_new: "Nueva",
  more: "Mostrar más",
  nothing: "Nada que hacer. Aparecerá aquí cuando alguien te necesite.",
  nothing_found: "No se encontró nada.",

  open: "Abrir",
  by: "{name} pide",
  taken_by: "Lo tiene {name}",

  offline_since: "Sin conexión. Esto es lo que se sabía {ago}. Puedes seguir; se guarda todo.",
  index_away:
    "La lista no está completa: el índice de búsqueda no responde. Se muestra lo que se sabía.",
  sign_in: "Iniciar sesión",
  closed: "Inicia sesión para ver tus peticiones",
  closed_how:
    "Tu bandeja muestra todas las peticiones para ti. Inicia sesión una vez en este dispositivo, o abre un enlace que te hayan enviado: su petición aparecerá aquí.",
  broken: "La bandeja no se cargó",

  install: "Ponla en tu pantalla de inicio",
  install_how: "Se abre como una aplicación, también sin conexión.",
  install_now: "Instalar",
  install_ios: "Toca Compartir y luego «Añadir a pantalla de inicio».",
  not_now: "Ahora no",

  push: "Notificaciones",
  push_ask: "Entérate cuando alguien te necesite",
  push_how:
    "Este dispositivo muestra una notificación con la petición. Puedes aceptarla desde allí. Ahora el navegador te pedirá permiso; puedes desactivarlo aquí cuando quieras.",
  push_on: "Activar",
  push_off: "Desactivar",
  push_is_on: "Este dispositivo avisa de peticiones nuevas.",
  push_is_off: "Este dispositivo no avisa de peticiones nuevas.",
  push_denied:
    "Las notificaciones están bloqueadas. Permítelas para esta página en los ajustes del navegador.",
  push_failed: "No funcionó. Inténtalo más tarde.",
  push_missing:
    "Este navegador no tiene notificaciones. En un iPhone, pon primero la bandeja en la pantalla de inicio.",
  push_for: "Para {name}",

  note_offer: "{name} pide",
  note_cannot: "No puedo",
  note_taken: "Ahora lo tiene {name}.",
  note_over: "Ya no hace falta.",
  note_mine: "Es tuya.",
  note_declined: "La rechazaste.",
  note_kept: "Guardado en este dispositivo. Se envía en cuanto tengas conexión.",
  note_failed: "No se aceptó: {why}",
};
