/** What an activation does that a person may not want done in their name. */
export type CommitKind =
  | 'pays'
  | 'sends'
  | 'publishes'
  | 'deletes'
  | 'cancels'
  | 'transfers'
  | 'signs'
  | 'allows'
  | 'logs out'

type Words = Readonly<Partial<Record<CommitKind, string>>>

/**
 * What English controls begin with that do something for good. A noun of the same form is told by what follows it:
 * "Order by", "Post office".
 */
export const ENGLISH_WORDS: Words = {
  pays: 'pay(?! (later|rates?|periods?|slips?|stubs?|attention|history|grades?))|buy|purchase(?! (history|orders?|dates?|details?|requests?|prices?|protection|policy|terms))|(pre|re) ?order|order(?! (by|histor(y|ies)|details?|status|numbers?|no\\b|ids?|summary|dates?|totals?|lists?|track\\w*|confirmation|info\\w*|types?|notes?|asc\\w*|desc\\w*|books?|management|of|in|forms?|overview|items?|is|#|\\d{3}))|donate|subscribe|rent(?! control)|book (now|it|this|my|your|an?|the|appointments?|flights?|rooms?|tables?|tickets?|seats?|stay|trip|ride|tour|hotels?|for|\\d)|book$|reserve|place (my |your |the |an? )?(order|bid|bet|trade)|(complete|confirm|finali[sz]e|submit) (my |your |the |this )?(order|purchase|payment|booking|reservation|subscription|checkout|transaction|trade)|make (a |the |this )?payment|start (my |your )?(free )?(trial|subscription|membership)|((google|apple|shop|amazon|samsung) |g ?)pay$',
  sends:
    'send(?! (to back|backwards?|logs?|histor(y|ies)|rates?|limits?|options?|settings|dates?))|re ?send|submit(?! (dates?|times?|histor(y|ies)|status))|unsubscribe|share (with|to|publicly|now)|e ?mail (it|this|to|them|him|her)|forward to',
  publishes:
    'post(?! (offices?|codes?|details?|titles?|histor(y|ies)|settings|types?|categor\\w+|lists?|tags?|ids?|views?|mortem|war|production|grad\\w*|authors?|dates?|by|body|content|urls?|formats?|templates?|\\d))|(re)?publish|(re)?tweet(?! (history|settings))|go live|make (it |this )?public|deploy(?! (keys?|histor(y|ies)|logs?|status))',
  deletes:
    'delete(?! keys?)|erase|destroy|wipe|purge|deactivate|terminate|uninstall|empty (the )?(trash|bin|recycle bin)|(factory )?reset (everything|all|account|device|data)|clear (all )?(my |your )?(data|history|everything)|(close|remove) (my |your |this |the )?account|remove (my |your |this |the )?(users?|members?|projects?|repo\\w*|workspaces?|organi[sz]ations?|teams?|profiles?|devices?|permanently|forever|everything|all data)|drop (table|database)',
  cancels:
    'cancel (my |your |this |the )?(accounts?|subscriptions?|orders?|bookings?|reservations?|memberships?|plans?|appointments?|contracts?|polic(y|ies)|flights?)',
  transfers:
    'transfer(?! (histor(y|ies)|status|speed|rates?|stations?|types?|details?|lists?|s\\b))|withdraw(?!als?)|wire|deposit(?! (histor(y|ies)|rates?|slips?))|cash out|top up|confirm (the |this |my )?(transfer|withdrawal)',
  signs: 'sign(?! (in|up|on|into|out|off|language))|e ?sign|countersign',
  allows:
    'authori[sz]e|grant|approve|allow access|give access|install(?! (guide|instructions?|docs?|size|dates?|notes?))|(confirm )?merge (pull request|and|into)|confirm merge|confirm deletion',
  'logs out': 'log ?out|sign ?(out|off)|log ?off|end (my |this |the )?session',
}

/** Of a form or a dialog only: elsewhere a control of this name opens one. */
export const ENGLISH_FORM_WORDS: Words = {
  sends: 'share|reply|comment|invite|forward|respond',
}

/** By language, in the order of how much of the web is written in it: whole words, wherever they stand in a name. */
export const COMMIT_WORDS: Readonly<Record<string, Words>> = {
  es: {
    pays: 'pagar|pague|paga|comprar|compra ahora|pedir|(realizar|hacer|confirmar|finalizar|tramitar) (el |la |tu |mi )?(pedido|compra|pago)|donar|reservar|suscribirse',
    sends: 'enviar|envia|mandar',
    publishes: 'publicar|postear',
    deletes: 'eliminar|borrar|suprimir|dar(se)? de baja|cancelar (la |mi |tu )?cuenta',
    cancels: 'cancelar (el |la |mi |tu )?(pedido|reserva|suscripcion|cita)',
    transfers: 'transferir|retirar (fondos|dinero)',
    signs: 'firmar',
    allows: 'autorizar|aprobar|instalar',
    'logs out': 'cerrar (la )?sesion|salir',
  },
  de: {
    pays: 'bezahlen|(jetzt|sicher|sofort) zahlen|^zahlen$|kaufen|zahlungspflichtig|bestellen|(kauf|bestellung|zahlung) (abschließen|absenden|bestatigen)|spenden|(jetzt|verbindlich|kostenpflichtig) (buchen|reservieren)|^buchen$|abonnieren',
    sends: 'senden|absenden|abschicken|verschicken|versenden|schicken|einreichen',
    publishes: 'veroffentlichen|publizieren|(jetzt |beitrag )posten|^posten$',
    deletes: 'loschen|(konto|benutzer|mitglied|projekt|profil) (entfernen|schließen)',
    cancels: 'kundigen|stornieren',
    transfers: 'uberweisen|(geld|betrag) (senden|auszahlen)|auszahlen',
    signs: 'unterschreiben|unterzeichnen|signieren',
    allows: 'autorisieren|genehmigen|freigeben|installieren|zugriff (erlauben|gewahren)',
    'logs out': 'abmelden|ausloggen',
  },
  ja: {
    pays: '購入(?!履歴|済|者|日|品|方法|金額)|注文(する|を?確定|を送信)|(?:お)?支払(う|いをする|いを確定)|決済する|今すぐ買う|予約(する|を?確定)|寄付する',
    sends: '送信(?!済|者|元|先|履歴|トレイ|日時)|送る|提出する|^提出$',
    publishes: '投稿(?!一覧|者|日|数|履歴|設定|先)|公開(?!日|範囲|設定|鍵|情報|者|中)',
    deletes: '削除(?!済|日|履歴)|消去|退会',
    cancels: '解約|注文をキャンセル|予約をキャンセル',
    transfers: '振込(?!先|履歴|手数料)|振り込む|送金(?!先|履歴|手数料)|出金(?!履歴)',
    signs: '署名(する|して|を送)|^署名$',
    allows: '承認(する|$)|許可する|インストール(する|$)',
    'logs out': 'ログアウト|サインアウト',
  },
  fr: {
    pays: 'payer|acheter|commander|(valider|confirmer|finaliser|passer) (la |ma |votre )?(commande|achat|paiement)|faire un don|reserver|s.abonner',
    sends: 'envoyer|soumettre',
    publishes: 'publier|poster',
    deletes: 'supprimer|(fermer|cloturer) (le |mon |votre )?compte',
    cancels: 'resilier|annuler (la |ma |mon |votre )?(commande|reservation|abonnement|rendez vous)',
    transfers: 'transferer|virer|(effectuer|valider|confirmer) (le |un )?virement',
    signs: 'signer',
    allows: 'autoriser|approuver|installer',
    'logs out': '(se )?deconnecter|deconnexion',
  },
  pt: {
    pays: 'pagar|comprar|encomendar|(fazer|finalizar|confirmar) (o |a )?(pedido|compra|pagamento)|doar|reservar',
    sends: 'enviar|mandar',
    publishes: 'publicar|postar',
    deletes: 'excluir|apagar|eliminar|encerrar (a )?conta',
    cancels: 'cancelar (o |a )?(pedido|reserva|assinatura|conta)',
    transfers: 'transferir|fazer (um )?pix|sacar',
    signs: 'assinar',
    allows: 'autorizar|aprovar|instalar',
    'logs out': 'sair|(terminar|encerrar) (a )?sessao',
  },
  ru: {
    pays: 'оплатить|заплатить|купить|заказать|оформить заказ|(подтвердить|сделать) (заказ|оплату|покупку)|пожертвовать|забронировать|подписаться',
    sends: 'отправить|послать|отослать',
    publishes: 'опубликовать|запостить',
    deletes: 'удалить|стереть|закрыть (счет|аккаунт)',
    cancels: 'отменить (заказ|подписку|бронь|бронирование)|отписаться',
    transfers: 'перевести (деньги|средства|сумму)|сделать перевод|вывести (деньги|средства)',
    signs: 'подписать',
    allows: 'одобрить|разрешить доступ|авторизовать|установить',
    'logs out': 'выйти|выход',
  },
  it: {
    pays: 'paga|pagare|acquista|acquistare|compra|ordina(?! per)|(conferma|completa|invia) (l.)?(ordine|acquisto|pagamento)|dona|prenota|abbonati',
    sends: 'invia|inviare|spedisci',
    publishes: 'pubblica|pubblicare',
    deletes: 'elimina|eliminare|cancella|(chiudi|rimuovi) (l.)?account',
    cancels: 'annulla (l.)?(ordine|prenotazione|abbonamento)|disdici',
    transfers: 'trasferisci|(effettua|conferma) (il )?bonifico|preleva',
    signs: 'firma (ora|qui|il|e|documento|contratto)|firmare',
    allows: 'autorizza|approva|installa',
    'logs out': 'esci|disconnetti|disconnettersi',
  },
  nl: {
    pays: 'betaal|betalen|koop|kopen|bestel|bestellen|(bestelling|betaling) (plaatsen|bevestigen|afronden)|doneer|doneren|boek|boeken|reserveer',
    sends: 'verstuur|versturen|verzend|verzenden|sturen|stuur|indienen',
    publishes: 'publiceer|publiceren|plaatsen|plaats (bericht|reactie)',
    deletes: 'verwijder|verwijderen|wissen|account sluiten',
    cancels: 'opzeggen|(bestelling|reservering|abonnement) annuleren',
    transfers: 'overmaken|overschrijven|overboeken|opnemen',
    signs: 'onderteken|ondertekenen',
    allows: 'goedkeuren|toegang (geven|toestaan)|installeren|installeer',
    'logs out': 'uitloggen|afmelden|log uit',
  },
  pl: {
    pays: 'zaplac|place|kup|kupuje|kupuj|zamow|zamawiam|(zloz|potwierdz) zamowienie|wplac|zarezerwuj|subskrybuj',
    sends: 'wyslij|przeslij',
    publishes: 'opublikuj|publikuj',
    deletes: 'usun|skasuj|zamknij konto',
    cancels: 'anuluj (zamowienie|rezerwacje|subskrypcje)',
    transfers: 'przelej|wykonaj przelew|wyplac',
    signs: 'podpisz',
    allows: 'zatwierdz|autoryzuj|zainstaluj',
    'logs out': 'wyloguj( sie)?',
  },
  tr: {
    pays: '(simdi|hemen|guvenli) ode|^ode$|odeme yap|odemeyi (tamamla|onayla)|satin al|siparisi? (ver|onayla|tamamla)|bagis yap|rezervasyon yap|abone ol',
    sends: 'gonder',
    publishes: 'yayinla|paylas',
    deletes: 'sil|hesabi (kapat|kaldir)',
    cancels: '(siparisi|aboneligi|rezervasyonu) iptal et',
    transfers: 'transfer et|para (gonder|cek)|havale yap',
    signs: 'imzala',
    allows: 'yetkilendir|onayla|yukle ve kur',
    'logs out': 'cikis( yap)?|oturumu kapat',
  },
  zh: {
    pays: '购买(?!记录|历史|日期|时间)|購買(?!記錄|紀錄|日期)|下单|下單|提交(订单|訂單)|确认(订单|付款|支付)|確認(訂單|付款|支付)|支付(?!方式|记录|宝|寶|密码|状态|記錄)|付款(?!方式|记录|記錄|码|状态|日期)|立即(预订|預訂)|捐款|订阅$',
    sends:
      '(?<!已)发送(?!记录|时间|者|人)|(?<!已)發送(?!記錄|時間|者|人)|傳送|寄出|^提交$|提交(申请|表单|評論|评论)',
    publishes:
      '(?<!已)发布(?!时间|日期|者|会|于)|(?<!已)發[布佈](?!時間|日期|者|會)|发表(?!时间|于)|發表(?!時間)',
    deletes: '(?<!已)删除(?!记录)|(?<!已)刪除|清空(?!筛选)|注销(账号|账户|帐户)|註銷',
    cancels: '取消(订单|訂單|预订|預訂|订阅|訂閱)|退订',
    transfers: '转账(?!记录)|轉[帳賬](?!記錄)|汇款|匯款|提现|提現',
    signs: '签署|簽署|签名确认|^签名$',
    allows: '授权|授權|批准|审批通过|^安装$|立即安装|安裝',
    'logs out': '退出登录|登出|退出账号|退出$',
  },
  fa: {
    pays: '(?<!روش |روش‌های )پرداخت(?! (شده|ها))|(?<!سبد )خرید(?! (ها|شده))|ثبت سفارش|سفارش (دهید|دادن)|تایید سفارش|رزرو',
    sends: 'ارسال(?! (شده|رایگان))|بفرست|فرستادن',
    publishes: 'انتشار|منتشر (کن|کردن)',
    deletes: 'حذف|پاک کردن|بستن حساب',
    cancels: 'لغو (سفارش|اشتراک|رزرو)',
    transfers: 'انتقال (وجه|پول)|کارت به کارت|برداشت وجه',
    signs: 'امضا',
    allows: 'اجازه دسترسی|تصویب|نصب',
    'logs out': 'خروج',
  },
  vi: {
    pays: 'thanh toan(?! (khi|qua))|mua|dat hang|dat mua|tra tien|dat (phong|ve|ban)|quyen gop',
    sends: '^gui$|gui (di|tin|thu|yeu cau|don|ngay|binh luan|email|cho|phan hoi)|nop (don|bai)',
    publishes: 'dang bai|xuat ban|cong bo|^dang$',
    deletes: 'xoa|dong tai khoan',
    cancels: 'huy (don|dat|dang ky)',
    transfers: 'chuyen (tien|khoan)|rut tien',
    signs: 'ky (ten|ngay|ket|hop dong)',
    allows: 'phe duyet|cap quyen|cai dat ngay',
    'logs out': 'dang xuat|thoat',
  },
  id: {
    pays: 'bayar|beli|pesan (sekarang|tiket|kamar)|buat pesanan|donasi',
    sends: 'kirim|kirimkan|ajukan',
    publishes: 'terbitkan|publikasikan|posting',
    deletes: 'hapus|tutup akun',
    cancels: 'batalkan (pesanan|langganan|reservasi)',
    transfers: 'transfer (sekarang|dana|uang)|tarik (dana|tunai)',
    signs: 'tanda ?tangani',
    allows: 'setujui|izinkan akses|pasang',
    'logs out': 'keluar',
  },
  cs: {
    pays: 'zaplatit|koupit|objednat|(potvrdit|odeslat|dokoncit) (objednavku|platbu|nakup)|rezervovat|predplatit',
    sends: 'odeslat|poslat|podat',
    publishes: 'zverejnit|publikovat|prispet',
    deletes: 'smazat|vymazat|(odstranit|zrusit) (ucet|uzivatele|projekt)',
    cancels: 'zrusit (objednavku|rezervaci|predplatne)',
    transfers: 'prevest|provest prevod|vybrat penize',
    signs: 'podepsat',
    allows: 'schvalit|povolit pristup|nainstalovat',
    'logs out': 'odhlasit( se)?',
  },
  ar: {
    pays: 'ادفع|اتمام (الدفع|الشراء|الطلب)|تاكيد (الدفع|الطلب|الشراء)|دفع$|اشتر(ي)?|شراء|اطلب|احجز|تبرع|اشترك',
    sends: 'ارسل|ارسال(?! رایگان)|بعث',
    publishes: 'نشر|انشر',
    deletes: 'حذف|احذف|امسح|اغلاق الحساب',
    cancels: 'الغاء (الطلب|الحجز|الاشتراك)',
    transfers: 'تحويل|حول (المال|الاموال)|سحب (الاموال|المال)',
    signs: 'توقيع|وقع',
    allows: 'موافقة|السماح بالوصول|تثبيت',
    'logs out': '(تسجيل )?(ال)?خروج',
  },
  ko: {
    pays: '구매(하기|$)|주문(하기|완료|확정|$)|결제(하기|$)|구입(하기|$)|예약(하기|확정)|기부하기|구독하기',
    sends: '보내기|보내$|전송(?! ?(기록|내역))|발송하기|제출',
    publishes: '게시(?!물|판|글|자|일)|발행(?!일|인)',
    deletes: '삭제(?!됨| ?된)|탈퇴|지우기',
    cancels: '(주문|예약|구독) ?(취소|해지)',
    transfers: '이체(?! ?내역)|송금(?! ?내역)|출금하기',
    signs: '서명(하기|$)',
    allows: '승인(하기|$)|허용하기|설치(하기|$)',
    'logs out': '로그아웃',
  },
  uk: {
    pays: 'сплатити|оплатити|заплатити|купити|придбати|замовити|оформити замовлення|пожертвувати|забронювати',
    sends: 'надіслати|відправити|надсилання',
    publishes: 'опублікувати|оприлюднити',
    deletes: 'видалити|стерти|закрити (рахунок|акаунт)',
    cancels: 'скасувати (замовлення|підписку|бронювання)',
    transfers: 'переказати|вивести кошти',
    signs: 'підписати',
    allows: 'схвалити|дозволити доступ|встановити',
    'logs out': 'вийти|вихід',
  },
  el: {
    pays: 'πληρωμη|πληρωστε|πληρωσε|αγορα|αγοραστε|αγορασε|(ολοκληρωση|υποβολη|καταχωρηση) (παραγγελιας|πληρωμης|αγορας)|παραγγειλε|κρατηση',
    sends: 'αποστολη|στειλτε|στειλε|υποβολη',
    publishes: 'δημοσιευση|δημοσιευσε',
    deletes: 'διαγραφη|διαγραψτε|κλεισιμο λογαριασμου',
    cancels: 'ακυρωση (παραγγελιας|κρατησης|συνδρομης)',
    transfers: 'μεταφορα (χρηματων|ποσου)|αναληψη',
    signs: 'υπογραφη|υπογραψτε',
    allows: 'εγκριση|εξουσιοδοτηση|εγκατασταση',
    'logs out': 'αποσυνδεση|εξοδος',
  },
  he: {
    pays: 'שלם|שלמו|לתשלום|תשלום|קנה|קנו|קנייה|לרכישה|רכוש|הזמן|הזמינו|בצע הזמנה|תרום',
    sends: 'שלח|שלחו|שליחה|הגש',
    publishes: 'פרסם|פרסום|פרסמו',
    deletes: 'מחק|מחיקה|מחקו|סגירת חשבון',
    cancels: 'בטל (הזמנה|מנוי)|ביטול (הזמנה|מנוי)',
    transfers: 'העבר(ת)? כסף|העברה בנקאית|בצע העברה|משוך',
    signs: 'חתום|חתימה|חתמו',
    allows: 'אשר גישה|אישור גישה|התקן|התקנה',
    'logs out': 'התנתק|התנתקות|יציאה',
  },
  hi: {
    pays: 'भुगतान करें|खरीदें|खरीदे|ऑर्डर करें|बुक करें|दान करें',
    sends: 'भेजें|भेजे|सबमिट( करें)?|जमा करें',
    publishes: 'प्रकाशित करें|पोस्ट करें',
    deletes: 'हटाएं|हटाएँ|मिटाएं|डिलीट( करें)?',
    transfers: 'ट्रांसफर करें|पैसे भेजें|निकालें',
    signs: 'हस्ताक्षर करें',
    allows: 'स्वीकृत करें|अनुमति दें|इंस्टॉल करें',
    'logs out': 'लॉग ?आउट( करें)?|साइन आउट',
  },
  sv: {
    pays: 'betala|kop|kopa|bestall|(slutfor|bekrafta|lagg) (kop|order|bestallning|bestallningen)|boka|donera|prenumerera',
    sends: 'skicka|skicka in',
    publishes: 'publicera|posta',
    deletes: 'radera|ta bort (konto|kontot|anvandare)|avsluta konto',
    cancels: 'avboka|saga upp|avbestall',
    transfers: 'overfor|ta ut pengar',
    signs: 'signera|skriv under',
    allows: 'godkann|installera',
    'logs out': 'logga ut',
  },
  no: {
    pays: 'betal|kjop|bestill|fullfor (kjop|bestilling)|kob|bekreft (kjop|bestilling)',
    sends: 'send inn|indsend',
    publishes: 'publiser|offentliggor',
    deletes: 'slett|slet',
    cancels: 'avbestill|si opp',
    transfers: 'overfor penger|ta ut penger',
    signs: 'signer|underskriv',
    allows: 'godkjenn|installer',
    'logs out': 'logg (ut|ud|av)',
  },
  fi: {
    pays: 'maksa|osta|tilaa|vahvista tilaus|varaa|lahjoita',
    sends: 'laheta',
    publishes: 'julkaise',
    deletes: 'poista',
    cancels: 'peru (tilaus|varaus)',
    transfers: 'siirra rahaa|tee siirto|nosta rahaa',
    signs: 'allekirjoita',
    allows: 'hyvaksy|asenna',
    'logs out': 'kirjaudu ulos',
  },
  hu: {
    pays: 'fizetes|fizetek|kifizetem|megveszem|vasarlas|megrendelem|megrendeles|foglalas',
    sends: 'kuldes|elkuldes|elkuldom|bekuldes',
    publishes: 'kozzetetel|kozzeteszem|publikalas',
    deletes: 'torles|fiok megszuntetese',
    cancels: '(rendeles|foglalas) (lemondasa|torlese)',
    transfers: 'utalas|atutalas',
    signs: 'alairas|alairom',
    allows: 'jovahagyas|telepites',
    'logs out': 'kijelentkezes',
  },
  ro: {
    pays: 'plateste|plati|cumpara|comanda acum|(trimite|finalizeaza|plaseaza) comanda|rezerva|doneaza',
    sends: 'trimite|trimiteti',
    publishes: 'publica|posteaza',
    deletes: 'sterge|inchide contul',
    cancels: 'anuleaza (comanda|rezervarea|abonamentul)',
    transfers: 'transfera|retrage bani',
    signs: 'semneaza',
    allows: 'aproba|autorizeaza|instaleaza',
    'logs out': 'deconectare|deconecteaza te|delogare',
  },
  th: {
    pays: 'ชำระเงิน|จ่ายเงิน|สั่งซื้อ|ซื้อเลย|ซื้อสินค้า|^ซื้อ$|จองเลย|บริจาค',
    sends: '^ส่ง$|ส่งข้อความ|ส่งข้อมูล|ส่งอีเมล|ส่งแบบฟอร์ม',
    publishes: 'โพสต์|เผยแพร่',
    deletes: '^ลบ|ลบบัญชี|ลบข้อมูล',
    cancels: 'ยกเลิกคำสั่งซื้อ|ยกเลิกการจอง',
    transfers: 'โอนเงิน|ถอนเงิน',
    signs: 'ลงนาม|เซ็นชื่อ',
    allows: 'อนุมัติ|ติดตั้ง',
    'logs out': 'ออกจากระบบ',
  },
}

/** Their scripts put no gaps between words: found anywhere in a name. */
export const WITHOUT_GAPS: ReadonlySet<string> = new Set(['ja', 'zh', 'ko', 'th'])

/** What is removed where nothing is lost: filters, and items of a cart or a list to choose from. */
export const HARMLESS_REMOVALS =
  'filt(er|re|ro|ri|ry|el|ru)|filtr\\b|ф[иі]л[ьъ]?тр|フィルタ|絞り込み|筛选|篩選|필터|فی?لتر|φιλτρ|bo loc|suodat|szur|मसनन|cart\\b|basket|\\bbag\\b|koszyk|carrito|cesta|panier|warenkorb|winkelwagen|carrello|carrinho|корзин|кошик|sepet|gio hang|keranjang|kosik|kosar|カート|购物车|購物車|장바구니|السلة|سبد|עגלה|סל הקניות|καλαθι|varukorg|handlekurv|ostoskori|ตะกร้า|wish ?list|watch ?list|favou?rites|comparison|selection|auswahl|seleccion|busqueda|suche\\b|recherche|search'

/** What leaves a question alone: not what is asked. */
export const DECLINES =
  'cancel|close|back|no|dismiss|keep|not now|later|abort|skip|help|learn more|edit|preview|go back|return|never ?mind|abbrechen|schließen|zuruck|nein|behalten|spater|cancelar|cerrar|volver|atras|annuler|fermer|retour|non|fechar|voltar|nao|annulla|chiudi|indietro|annuleren|annuleer|sluiten|terug|nee|anuluj|zamknij|wstecz|wroc|nie|iptal|kapat|geri|hayir|vazgec|отмена|отменить|закрыть|назад|нет|取消|关闭|關閉|返回|否|キャンセル|閉じる|戻る|いいえ|취소|닫기|뒤로|아니요|아니오|لغو|انصراف|بستن|بازگشت|خیر|الغاء|اغلاق|رجوع|لا|huy|dong|quay lai|khong|batal|tutup|kembali|tidak|zrusit|zavrit|zpet|ne|скасувати|закрити|ні|ακυρωση|κλεισιμο|πισω|οχι|ביטול|סגור|חזרה|לא|रदद|बंद करें|वापस|नहीं|avbryt|stang|tillbaka|nej|lukk|tilbake|peruuta|sulje|takaisin|ei|megse|bezaras|vissza|nem|anuleaza|renunta|inchide|inapoi|nu|ยกเลิก|ปิด|กลับ|ไม่|x|×|✕|✖'

/** What ends a form or a dialog and says nothing of its own: the title says what is agreed to. */
export const CONSENTS =
  'ok|okay|yes|confirm|continue|go|go ahead|done|proceed|accept|agree|i agree|i understand|finish|complete|apply|do it|next|save|ja|bestatigen|weiter|fertig|fortfahren|akzeptieren|zustimmen|abschließen|speichern|si|confirmar|continuar|aceptar|listo|siguiente|guardar|oui|confirmer|continuer|valider|accepter|terminer|suivant|enregistrer|sim|aceitar|concluir|salvar|да|подтвердить|продолжить|готово|далее|принять|сохранить|conferma|continua|accetta|avanti|salva|bevestigen|doorgaan|akkoord|verder|opslaan|tak|potwierdz|dalej|kontynuuj|zatwierdz|zapisz|evet|onayla|devam|tamam|kabul et|kaydet|بله|تایید|ادامه|قبول|ذخیره|co|dong y|xac nhan|tiep tuc|hoan tat|luu|ya|konfirmasi|lanjut|lanjutkan|setuju|selesai|simpan|ano|potvrdit|pokracovat|dokoncit|ulozit|نعم|تاكيد|متابعة|موافق|تم|حفظ|так|підтвердити|продовжити|зберегти|ναι|επιβεβαιωση|συνεχεια|αποδοχη|αποθηκευση|כן|אישור|המשך|אשר|סיום|שמור|हाँ|पुष्टि करें|जारी रखें|ठीक है|bekrafta|fortsatt|spara|bekreft|fortsett|lagre|kylla|vahvista|jatka|tallenna|igen|megerosites|tovabb|mentes|da|confirma|continua|salveaza'

/** The same, in scripts without gaps. */
export const CONSENTS_WITHOUT_GAPS =
  '是|确定|确认|確定|確認|继续|繼續|同意|完成|好|保存|はい|続行|続ける|次へ|完了|예|네|확인|계속|동의|완료|다음|저장|ตกลง|ยืนยัน|ใช่|ดำเนินการต่อ|บันทึก'
