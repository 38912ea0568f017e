/** Español. */
export const words = {
  inbox: "Bandeja de entrada",
  skip: "Ir a las peticiones",
  refresh: "Actualizar",
  search: "Buscar",

  group_mine: "Las tuyas",
  group_open: "Libres",
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
  nothing: "No hay nada pendiente. Tus peticiones aparecerán aquí.",
  nothing_found: "Sin resultados.",

  open: "Abrir",
  by: "De {name}",
  taken_by: "{name} se encarga",

  offline_since: "Sin conexión. Última actualización: {ago}. Puedes seguir: se guarda todo.",
  index_away: "Puede que la lista esté incompleta: la búsqueda no está disponible ahora.",
  sign_in: "Iniciar sesión",
  closed: "Inicia sesión para ver tus peticiones",
  closed_how:
    "Tu bandeja muestra todas tus peticiones. Inicia sesión una vez en este dispositivo, o abre un enlace que hayas recibido para ver aquí su petición.",
  broken: "No se pudo cargar la bandeja",

  install: "Añadir a la pantalla de inicio",
  install_how: "Se abre como una aplicación, incluso sin conexión.",
  install_now: "Instalar",
  install_ios: "Toca Compartir y luego «Añadir a pantalla de inicio».",
  not_now: "Ahora no",

  push: "Notificaciones",
  push_ask: "Recibe un aviso cuando te necesiten",
  push_how:
    "Recibirás una notificación por cada petición nueva y podrás aceptarla desde ahí. Ahora el navegador te pedirá permiso. Puedes desactivarlo aquí cuando quieras.",
  push_on: "Activar",
  push_off: "Desactivar",
  push_is_on: "Las notificaciones están activadas en este dispositivo.",
  push_is_off: "Las notificaciones están desactivadas en este dispositivo.",
  push_denied:
    "Las notificaciones están bloqueadas. Permítelas para este sitio en los ajustes del navegador.",
  push_failed: "No funcionó. Inténtalo más tarde.",
  push_missing:
    "Este navegador no admite notificaciones. En un iPhone, añade primero la bandeja a la pantalla de inicio.",
  push_for: "Para {name}",

  note_offer: "De {name}",
  note_cannot: "No puedo",
  note_taken: "{name} se encarga.",
  note_over: "Ya no hace falta.",
  note_mine: "Te encargas tú.",
  note_declined: "La rechazaste.",
  note_kept: "Guardado en este dispositivo. Se enviará cuando vuelvas a tener conexión.",
  note_failed: "No funcionó: {why}",
};
