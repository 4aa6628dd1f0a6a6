import { normalizeLetters, LETTERS, LETTERS_AND_NUMBERS } from './normalize-words.ts'
import { lazyPattern } from './once.ts'

/**
 * Words for secrets, by language, ordered by the language's share of the web. The patterns match anywhere in a label
 * that `normalizeWords` has normalized.
 */
const SECRET_PARTS: Readonly<Record<string, string>> = {
  en: 'passw(or)?d|passphrase|pass ?code|secret(?!ar)|(api|private|secret) ?key|(access|auth|bearer|api) ?token|(recovery|seed|backup|mnemonic) (phrase|key|codes?|words)|mnemonic|card ?(number|no\\b|num\\b)|cc ?(num|number|csc|cvc|exp)|security ?code|card.{0,12}expir|expir.{0,12}card|\\bmm ?/ ?yy|bank ?account|account ?(number|no\\b)|routing ?(number|no\\b)|sort ?code|one.?time (code|pin|pass)|(verification|authenticat\\w+|sms|2fa|mfa) ?code|(security|secret) (question|answer)|maiden name|social security|national (id|insurance)|passport (number|no\\b)|driver.{0,3} licen[cs]e ?(number|no\\b)|tax id|passkey',
  es: `contrasena|(?<!palabras? )\\bclave\\b(?! (de|del) (producto|articulo|pais))|frase (semilla|secreta|de (recuperacion|contrasena))|(numero|no) de (la )?(tarjeta|cuenta|pasaporte)|codigo (secreto|sms|de (seguridad|verificacion|acceso|autenticacion|un solo uso))|(pregunta|respuesta) (secreta|de seguridad)|seguridad social|cuenta bancaria|apellido de soltera|nombre de soltera|token de acceso|(numero|no)( de)? nie\\b|^(nie[^${LETTERS}]*)+$`,
  de: 'passwort|kennwort|geheim(zahl|frage|nummer|antwort|wort)|sicherheits(code|frage|antwort)|prufn?(ummer|ziffer)|karten ?n(ummer|r)|kreditkarte|bestatigungscode|einmal ?(code|pin)|wiederherstellungs(phrase|schlussel|code|worte)|sozialversicherungs|steuer ?id|pass ?n(ummer|r)|ausweis ?n(ummer|r)|kontonummer|privater schlussel|api ?schlussel|(zugangs|zugriffs) ?token|geburtsname der mutter|madchenname der mutter|(push|chip|photo|foto) ?tan\\b|\\btan ?(nummer|code|eingeb|verfahren)|\\bihre tan\\b',
  ja: 'パスワード|暗証(番号|コード)|秘密の|秘密鍵|パス(フレーズ|コード|ポート番号)|合言葉|カード番号|セキュリティ ?(コード|番号)|(認証|確認) ?(コード|番号)|ワンタイム|マイナンバー|個人番号|口座番号|(リカバリー|シード|復元) ?(フレーズ|コード)|(api|アクセス) ?(キー|トークン)|母親?の旧姓',
  fr: 'mot de passe|phrase (secrete|de passe|de recuperation)|code (secret|confidentiel|pin|sms|de (securite|verification)|a usage unique)|cryptogramme|numero de (la |votre )?(carte|cb|compte|passeport)|(question|reponse) (secrete|de securite)|securite sociale|cle (privee|(d.)?api|secrete)|compte bancaire|jeton d.acces|nom de jeune fille',
  pt: 'senha|palavra.?passe|frase (secreta|semente|de recuperacao)|numero d[aeo] (cartao|conta|passaporte)|codigo (secreto|de (seguranca|verificacao|acesso|autenticacao|uso unico))|(pergunta|resposta) (secreta|de seguranca)|seguranca social|conta bancaria|chave (privada|secreta|de api)|token de acesso|nome de solteira',
  ru: `парол|пин ?код|кодов(ая|ое) (фраза|слово)|секретн|контрольн(ыи|ое) (вопрос|слово)|номер ([${LETTERS}]+ )?карты|код (подтверждения|безопасности|проверки|доступа|из (смс|sms))|одноразовыи|(серия|номер)( и номер)? паспорта|номер счета|паспорт.{0,3}(серия|номер)|(закрытыи|приватныи) ключ|сид ?фраза|фраза восстановления|мнемоническ|пассворд|ключ api|api ключ|токен доступа|девичья фамилия`,
  it: 'parola (d.ordine|segreta)|codice (segreto|fiscale|monouso|pin|otp|di (sicurezza|verifica|accesso))|numero (della |di )?carta|(domanda|risposta) (segreta|di sicurezza)|frase (segreta|seme|di recupero)|chiave (privata|segreta|api)|conto (bancario|corrente)|numero di (conto|passaporto)|carta di credito|token di accesso|cognome da nubile',
  nl: 'wachtwoord|wachtzin|pincode|toegangscode|beveiligings(code|vraag)|verificatiecode|eenmalige (code|pin)|kaartnummer|creditcard ?nummer|geheim(e vraag| antwoord)|herstel(zin|code|sleutel)|burgerservicenummer|rekeningnummer|priv[e]sleutel|api ?sleutel|paspoort ?nummer|toegangs ?token|meisjesnaam',
  pl: 'haslo|kod (pin|z sms|sms|bezpieczenstwa|weryfikacyjny|jednorazowy|dostepu)|(haslo|jednorazowe) (jednorazowe|haslo)|numer (karty|konta|rachunku|paszportu)|pytanie (bezpieczenstwa|pomocnicze|zabezpieczajace)|fraza (odzyskiwania|zabezpieczajaca)|klucz prywatny|dowodu osobistego|klucz api|token dostepu|nazwisko panienskie',
  tr: 'sifre|(?<!una )\\bparola\\b(?! (chiave|da))|guvenlik (kodu|sorusu)|(dogrulama|onay) kodu|tek kullanimlik (kod|pin)|(kart|karti|pasaport) (numarasi|no)|gizli (soru|cevap|anahtar)|kurtarma (ifadesi|kodu|anahtari)|ozel anahtar|kimlik (no|numarasi)|hesap numarasi|api anahtari|erisim (anahtari|belirteci)|kizlik soyadi',
  zh: '密码|密碼|口令|密钥|密鑰|私钥|私鑰|助记词|助記詞|恢复(短语|码)|卡号|卡號|安全码|安全碼|验证码|驗證碼|校验码|动态码|一次性(代码|口令)|密保|安全(问题|提示|問題)|身份证|身分證|(银行|銀行)(账|帐|帳)[号户號戶]|(访问|存取)(令牌|权杖)|(护照|護照)[号號]',
  fa: 'رمز ?(عبور|دوم|پویا|یکبار|ورود|کارت)|گذر ?واژه|کلمه عبور|کد (تایید|امنیتی|یکبار|ملی|پیامکی|ورود)|شماره (کارت|ملی|شبا|حساب|گذرنامه|پاسپورت)|(سوال|پرسش) امنیتی|کلید خصوصی|عبارت بازیابی|پسورد|کلید api',
  vi: 'mat khau|ma (pin|otp|bi mat|bao mat|xac (minh|nhan|thuc))|so the|cau (hoi|tra loi) (bao|bi) mat|cum tu (khoi phuc|bi mat)|khoa (rieng|bi mat)|so tai khoan|can cuoc|chung minh (nhan dan|thu)|so ho chieu|khoa api|ma truy cap',
  id: 'kata sandi|\\bsandi\\b|kode (pin|otp|akses|rahasia|keamanan|verifikasi)|no(mor)? kartu|pertanyaan keamanan|frasa (pemulihan|sandi)|kunci (privat|pribadi|rahasia)|nomor rekening|no(mor)? ktp|no(mor)? paspor|kunci api|token akses|nama gadis ibu',
  cs: 'heslo|hesla|(pristupovy|overovaci|bezpecnostni|jednorazovy) kod|(bezpecnostni|kontrolni) otazk[au]|cislo (((platebni|kreditni) )?karty|uctu|obcanskeho|pasu)|rodne cislo|(obnovovaci|zalozni) (fraze|kod)|soukromy klic|api klic|pristupovy token',
  ar: 'كلمة (المرور|السر|مرور)|(الرقم|الرمز) السري|رمز (التحقق|الامان|المرور|التاكيد|الدخول)|رقم (جواز|البطاقة|بطاقة|الهوية|الحساب|الضمان)|سؤال الامان|السؤال السري|عبارة (المرور|الاسترداد)|المفتاح (الخاص|السري)|باسوورد|لمرة واحدة|مفتاح api|رمز الوصول',
  ko: '비밀 ?번호|암호|패스워드|비번|보안 ?(코드|질문|카드|번호)|인증 ?(번호|코드)|일회용 ?(코드|번호)|카드 ?번호|주민 ?(등록 ?)?번호|계좌 ?번호|(복구|시드) ?(문구|구문|코드)|니모닉|(개인|비밀) ?키|비밀 ?질문|핀 ?번호|여권 ?번호|api ?키|액세스 ?토큰',
  uk: `пін ?код|код (підтвердження|безпеки|доступу|перевірки|[із]+ sms)|контрольне (питання|слово)|номер ([${LETTERS}]+ )?(картки|рахунку|паспорта)|приватний ключ|фраза відновлення|токен доступу|дівоче прізвище`,
  el: `κωδικος(?!\\s*[α-ω])|κωδικ(ος|ο) (sms|προσβασης|ασφαλειας|επαληθευσης|μιας χρησης|pin)|συνθηματικο|φραση (ανακτησης|προσβασης)|(κρυφος|μυστικος) κωδικος|αριθμος ([${LETTERS}]+ καρτας|καρτας|λογαριασμου|διαβατηριου)|ερωτησης? ασφαλειας|ιδιωτικο κλειδι`,
  he: 'סיסמ[הא]|קוד (אימות|אבטחה|סודי|חד|גישה)|מספר (כרטיס|חשבון)|תעודת זהות|שאלת (אבטחה|ביטחון)|שאלה סודית|ביטוי שחזור|מפתח פרטי',
  hi: 'पासवर्ड|ओटीपी|कार्ड (नंबर|संख्या)|आधार (नंबर|संख्या)|सत्यापन कोड|सुरक्षा (कोड|प्रश्न)',
  hr: 'lozink|zaporka',
  sv: 'losenord|sakerhets(kod|fraga)|engangs(kod|losenord)|kortnummer|personnummer|verifieringskod',
  no: 'passord|adgangskode|kodeord|sikkerhe[td]s?kode|engangskode|fodselsnummer|cpr ?nummer',
  fi: 'salasana|turvakoodi|vahvistuskoodi|kortin ?numero|henkilotunnus|tunnusluku',
  hu: 'jelszo|biztonsagi kod|kartyaszam',
  ro: 'cod de (securitate|verificare)|numar(ul)? card|intrebare de securitate',
  th: 'รหัสผ่าน|รหัสลับ|รหัสยืนยัน|หมายเลขบัตร|เลขบัตรประชาชน',
}

/** Short words and abbreviations, found as whole words only. */
const SECRET_WHOLE_WORDS =
  'pwd|mdp|pin\\d*|cv[vc]2?|csc|otp\\d*|totp|2fa|ssn|iban|clabe|sms ?tan|m ?tan|bic|nip|пин|blz|nif|dni|curp|cpf|снилс|инн|bsn|pesel|cnp|cmnd|cccd|nik|ktp|αφμ|αμκα|рнокпп'

/** Normalized like the labels, so that the lists above can be written with accents. */
const SECRET = lazyPattern(() =>
  normalizeLetters(
    [
      ...Object.values(SECRET_PARTS),
      `(?<![${LETTERS_AND_NUMBERS}])(?:${SECRET_WHOLE_WORDS})(?![${LETTERS_AND_NUMBERS}])`,
    ].join('|'),
  ),
)

/** Phrases that contain a word for a secret, but don't ask for one. */
const NO_SECRETS =
  /pass ?word (?:reset|recovery|change) (?:e ?mail|mail|link|page)|secret santa|\bpin (?:title|note|name|board|colou?r|label)|\b(?:board|map) pin\b/gu

/** Returns the first word for a secret in a text from `normalizeWords`, or null. */
export function findSecretWord(folded: string): string | null {
  return SECRET().exec(folded.replace(NO_SECRETS, ' '))?.[0] ?? null
}
