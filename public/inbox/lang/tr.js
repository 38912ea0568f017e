/** Türkçe. */
export const words = {
  inbox: "Gelen kutusu",
  skip: "İsteklere geç",
  refresh: "Yenile",
  search: "Ara",

  group_mine: "Seninkiler",
  group_open: "Üstlenilebilir",
  group_waiting: "Yanıt bekleyenler",
  group_done: "Bitenler",
  tab_open: "Açık",
  tab_waiting: "Bekleyen",
  show: "Göster",
  show_all: "Hepsi",
  new_only: "Yalnızca yeniler",
  every_household: "Tüm haneler",
  count_new: "{n} yeni",
  is_new: "Yeni",
  more: "Daha fazla göster",
  nothing: "Yapılacak bir şey yok. Sana gelen istekler burada görünecek.",
  nothing_found: "Sonuç bulunamadı.",

  open: "Aç",
  by: "{name} adlı kişiden",
  taken_by: "{name} ilgileniyor",

  offline_since: "Çevrimdışısın. Son güncelleme: {ago}. Devam edebilirsin, her şey kaydediliyor.",
  index_away: "Arama şu anda kullanılamadığı için liste eksik olabilir.",
  sign_in: "Oturum aç",
  closed: "İsteklerini görmek için oturum aç",
  closed_how:
    "Gelen kutun sana gelen tüm istekleri gösterir. Bu cihazda bir kez oturum aç ya da sana gönderilen bir bağlantıyı açarak isteğini burada gör.",
  broken: "Gelen kutusu yüklenemedi",

  install: "Ana ekranına ekle",
  install_how: "Çevrimdışıyken bile uygulama gibi açılır.",
  install_now: "Yükle",
  install_ios: "Paylaş’a, sonra “Ana Ekrana Ekle”ye dokun.",
  not_now: "Şimdi değil",

  push: "Bildirimler",
  push_ask: "Sana ihtiyaç olunca bildirim al",
  push_how:
    "Her yeni istek için bir bildirim alır, isteği oradan kabul edebilirsin. Tarayıcın şimdi izin isteyecek. Bunu istediğin zaman buradan kapatabilirsin.",
  push_on: "Aç",
  push_off: "Kapat",
  push_is_on: "Bu cihazda bildirimler açık.",
  push_is_off: "Bu cihazda bildirimler kapalı.",
  push_denied: "Bildirimler engelli. Tarayıcı ayarlarından bu siteye izin ver.",
  push_failed: "Olmadı. Daha sonra tekrar dene.",
  push_missing:
    "Bu tarayıcı bildirimleri desteklemiyor. iPhone’da önce gelen kutusunu ana ekrana ekle.",
  push_for: "{name} için",

  note_offer: "{name} adlı kişiden",
  note_cannot: "Yapamam",
  note_taken: "{name} ilgileniyor.",
  note_over: "Artık gerekmiyor.",
  note_mine: "Sen üstlendin.",
  note_declined: "Reddettin.",
  note_kept: "Bu cihaza kaydedildi. Çevrimiçi olduğunda göndereceğiz.",
  note_failed: "Olmadı: {why}",
};
