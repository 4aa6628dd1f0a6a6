/** Labels of fields, by language: what is nobody's business, and what is nothing of the kind. */
export const LABELS: Readonly<
  Record<string, { readonly secret: readonly string[]; readonly plain: readonly string[] }>
> = {
  en: {
    secret: [
      'Password',
      'Passphrase',
      'PIN',
      'One-time code',
      'CVC',
      'Answer to your security question',
      'Social security number',
      'IBAN',
      'Card number',
      'Recovery phrase',
      'API key',
    ],
    plain: [
      'Name',
      'E-mail',
      'Postal code',
      'Promo code',
      'Secretary',
      'Passenger',
      'Compass',
      'Keyword',
      'One-time donation',
      'Opinion',
      'Spinning class',
    ],
  },
  es: {
    secret: [
      'Contraseña',
      'Clave',
      'Número de tarjeta',
      'Código de verificación',
      'Pregunta secreta',
      'Número de la Seguridad Social',
    ],
    plain: ['Nombre', 'Correo electrónico', 'Código postal', 'Palabra clave', 'Cupón', 'Ciudad'],
  },
  de: {
    secret: [
      'Passwort',
      'Kennwort',
      'Prüfziffer',
      'Kreditkartennummer',
      'Sicherheitsfrage',
      'Bestätigungscode',
      'Kontonummer',
    ],
    plain: ['Vorname', 'Postleitzahl', 'Gutscheincode', 'Reisepasszug', 'Ort', 'Schlüsselwort'],
  },
  ja: {
    secret: [
      'パスワード',
      '暗証番号',
      'カード番号',
      'セキュリティコード',
      '認証コード',
      '秘密の質問',
      'マイナンバー',
    ],
    plain: ['名前', '郵便番号', '電話番号', 'クーポンコード', '住所'],
  },
  fr: {
    secret: [
      'Mot de passe',
      'Code confidentiel',
      'Cryptogramme',
      'Numéro de carte',
      'Question secrète',
      'Numéro de sécurité sociale',
    ],
    plain: ['Prénom', 'Code postal', 'Code promo', 'Passeport de fidélité', 'Ville'],
  },
  pt: {
    secret: [
      'Senha',
      'Palavra-passe',
      'Número do cartão',
      'Código de segurança',
      'Pergunta secreta',
      'CPF',
    ],
    plain: ['Nome', 'Código postal', 'CEP', 'Cupom', 'Cidade'],
  },
  ru: {
    secret: [
      'Пароль',
      'ПИН-код',
      'Номер карты',
      'Код подтверждения',
      'Секретный вопрос',
      'СНИЛС',
      'Паспорт: серия и номер паспорта',
    ],
    plain: ['Имя', 'Почтовый индекс', 'Промокод', 'Город', 'Телефон'],
  },
  it: {
    secret: [
      'Password',
      'Codice di sicurezza',
      'Numero della carta',
      'Domanda segreta',
      'Codice fiscale',
    ],
    plain: ['Nome', 'CAP', 'Codice promozionale', 'Parola chiave', 'Cerca una parola', 'Città'],
  },
  nl: {
    secret: ['Wachtwoord', 'Pincode', 'Kaartnummer', 'Beveiligingsvraag', 'Verificatiecode', 'BSN'],
    plain: ['Naam', 'Postcode', 'Kortingscode', 'Woonplaats', 'Eenmalige donatie'],
  },
  pl: {
    secret: [
      'Hasło',
      'Kod PIN',
      'Numer karty',
      'Kod weryfikacyjny',
      'Pytanie zabezpieczające',
      'PESEL',
    ],
    plain: ['Imię', 'Kod pocztowy', 'Kod rabatowy', 'Miasto'],
  },
  tr: {
    secret: [
      'Şifre',
      'Parola',
      'Kart numarası',
      'Güvenlik kodu',
      'Doğrulama kodu',
      'Gizli soru',
      'T.C. Kimlik No',
    ],
    plain: ['Ad', 'Posta kodu', 'İndirim kodu', 'Şehir'],
  },
  zh: {
    secret: ['密码', '支付密碼', '银行卡号', '安全码', '验证码', '密保问题', '身份证号', '助记词'],
    plain: ['姓名', '邮编', '优惠码', '城市', '电话'],
  },
  fa: {
    secret: ['رمز عبور', 'گذرواژه', 'شماره کارت', 'کد تأیید', 'سوال امنیتی', 'کد ملی', 'رمز دوم'],
    plain: ['نام', 'کد پستی', 'کد تخفیف', 'شهر'],
  },
  vi: {
    secret: ['Mật khẩu', 'Mã PIN', 'Số thẻ', 'Mã xác minh', 'Câu hỏi bí mật', 'Căn cước công dân'],
    plain: ['Họ tên', 'Mã bưu chính', 'Mã giảm giá', 'Thành phố'],
  },
  id: {
    secret: [
      'Kata sandi',
      'Nomor kartu',
      'Kode keamanan',
      'Kode verifikasi',
      'Pertanyaan keamanan',
      'NIK',
    ],
    plain: ['Nama', 'Kode pos', 'Kode promo', 'Kota', 'Sandiwara'],
  },
  cs: {
    secret: ['Heslo', 'Číslo karty', 'Ověřovací kód', 'Bezpečnostní otázka', 'Rodné číslo'],
    plain: ['Jméno', 'PSČ', 'Slevový kód', 'Město'],
  },
  ar: {
    secret: ['كلمة المرور', 'الرقم السري', 'رقم البطاقة', 'رمز التحقق', 'سؤال الأمان', 'رقم الهوية'],
    plain: ['الاسم', 'الرمز البريدي', 'كود الخصم', 'المدينة'],
  },
  ko: {
    secret: ['비밀번호', '암호', '카드 번호', '보안 코드', '인증번호', '비밀 질문', '주민등록번호'],
    plain: ['이름', '우편번호', '쿠폰 코드', '전화번호', '도시'],
  },
  uk: {
    secret: ['Пароль', 'ПІН-код', 'Номер картки', 'Код підтвердження', 'Секретне питання'],
    plain: ["Ім'я", 'Поштовий індекс', 'Промокод', 'Місто'],
  },
  el: {
    secret: ['Κωδικός πρόσβασης', 'Συνθηματικό', 'Αριθμός κάρτας', 'Κωδικός ασφαλείας', 'ΑΦΜ'],
    plain: ['Όνομα', 'Ταχυδρομικός κώδικας', 'Κωδικός έκπτωσης', 'Πόλη'],
  },
  he: {
    secret: ['סיסמה', 'סיסמא', 'מספר כרטיס', 'קוד אימות', 'שאלת אבטחה', 'תעודת זהות'],
    plain: ['שם', 'מיקוד', 'קוד קופון', 'עיר'],
  },
  hi: { secret: ['पासवर्ड', 'कार्ड नंबर', 'आधार नंबर'], plain: ['नाम', 'पिन कोड', 'शहर'] },
  sv: { secret: ['Lösenord', 'Kortnummer', 'Personnummer'], plain: ['Namn', 'Postnummer', 'Ort'] },
  th: { secret: ['รหัสผ่าน', 'หมายเลขบัตร'], plain: ['ชื่อ', 'รหัสไปรษณีย์', 'เมือง'] },
}
