import {
  normalizeLetters,
  normalizeWords,
  LETTERS,
  LETTERS_AND_NUMBERS,
  withLatinLetters,
} from '../../lib/normalize-words.ts'
import { decodePercents } from '../secrets/secret-matcher.ts'
import { lazyPattern } from '../../lib/once.ts'

/** Words of one language, as patterns. Folded like names: without accents, in lower case, a space for any gap. */
interface CommitWords {
  /** Several short patterns, because V8 takes ten times as long to compile a single long one. */
  readonly acts: readonly string[]
  /** Verbs that don't count for filters and items of a cart, which are removed without loss. */
  readonly removes: string
}

const ANY =
  '(?:(?:the|this|that|my|your|a|an|new|all|selected|her|him|them|user|account|primary|s) )*'
const PEOPLE =
  '(?:users?|members?|accounts?|customers?|clients?|people|participants?|subscribers?|collaborators?|admins?|administrators?|owners?|moderators?|employees?)'
/** Changing any of these takes over an account, locks somebody out or binds somebody. */
const HOLDINGS = `(?:${PEOPLE}|e ?mails?(?: address)?|passwords?|passcodes?|pins?|phones?(?: number)?|recovery \\w+|2fa|mfa|(?:two factor|2 step)(?: \\w+)?|passkeys?|(?:api |access |ssh |secret |security |signing |client )?keys?|tokens?|secrets?|webhooks?|permissions?|roles?|access|delegates?|forwarding|(?:credit|debit|bank|payment) (?:cards?|methods?|accounts?)|orders?|purchases?|payments?|bookings?|reservations?|subscriptions?|memberships?|plans?|appointments?|contracts?|returns?(?! (?:date|flight|trip|ticket|journey|leg|label|address))|exchanges?(?! rate)|transactions?|transfers?|withdrawals?|merge|deletion)`
const MACHINES = '(?:servers?|instances?|machines?|services?|clusters?|databases?|devices?)'

/** English names begin with one of these verbs. A check of the next word excludes nouns: "Order by", "Post office". */
const ENGLISH: CommitWords = {
  acts: [
    '(?:apple|google|shop|amazon) pay$|pay(?! (?:later|history|periods?|rates?|slips?|stubs?))|buy|purchase(?! (?:history|orders?|dates?|price))|order(?: now| it)?$|(?:pre|re) ?order|check ?out|(?:go|proceed|continue) to (?:checkout|payment)|donate|subscribe|unsubscribe|book(?: now| it)?$|book (?:this|my|an?|the|your|for)|reserve|rent(?: now)?$|charge(?: again| now)?$|charge [$€£¥]?\\d[\\d.,]*|charge (?:the |this |my )?(?:card|customer|client|account|user)',
    `place ${ANY}(?:order|bid|bet|trade)|(?:start|begin) ${ANY}(?:free )?(?:trial|subscription|membership)`,
    'send(?! (?:to back|backwards?|logs?|history|settings))|re ?send|submit(?! (?:dates?|history|status))|post(?: (?:it|now|an? \\w+|comments?|repl(?:y|ies)|reviews?|messages?|updates?))?$|(?:re)?publish|(?:re)?tweet$|go live|make (?:it |this )?public|deploy(?! (?:keys?|history|logs?|status))|share (?:with|to|publicly)|forward to|e ?mail (?:it|this|to|them|him|her)',
    'transfer(?! (?:history|status|speed|rates?|types?|details?|s\\b))|withdraw|wire (?:money|funds)|deposit$|cash out|top up|(?:(?:issue(?: a)?|process|full|partial) )*refund(?: [$€£¥\\d].*| (?:order|payment|customer|now))?$',
    'sign(?! (?:in|up|on|into|out|off|language))|e ?sign|countersign|authori[sz]e|grant|approve|accept(?! (?:cookies|all))|allow(?: access)?$|give access|install(?! (?:guide|instructions?|docs?|notes?))|(?:confirm )?merge (?:pull request|and|into)',
    `invite|impersonate|(?:log|sign) ?in as ${ANY}${PEOPLE}|promote(?: to \\w+| ${ANY}${PEOPLE})?$|make ${ANY}(?:an? )?(?:co )?(?:admin\\w*|owners?|moderators?)`,
    `ban(?! list)|kick(?! off)|suspend(?! (?:dates?|reasons?))|revoke(?! (?:dates?|reasons?))|downgrade|block ${ANY}(?:${PEOPLE}|cards?)|(?:freeze|lock) ${ANY}(?:${PEOPLE}|cards?)`,
    `(?:change|update|save|set|request|enable|link|connect|reset|rotate|regenerate|roll|disable|turn off|remove|add|create|generate|cancel|close|confirm|complete|finali[sz]e|make|force) ${ANY}${HOLDINGS}(?! (?:email|mail|list|history|details?|settings?|filters?))`,
    `(?:cancel|confirm|complete) ${ANY}returns? (?:flight|trip|ticket|journey)`,
    `(?:log|sign) ?(?:out|off)|reboot|shut ?down|(?:restart|stop|kill|power off) ${ANY}${MACHINES}|roll ?back ${ANY}(?:deployment|release|version|to)`,
  ],
  removes: `delete|erase|destroy|wipe|purge|deactivate|terminate|uninstall|empty (?:the )?(?:trash|bin|recycle bin)|clear (?:all )?(?:my |your )?(?:data|history|everything)|(?:factory )?reset (?:everything|all|device|data)|remove ${ANY}(?:projects?|repo\\w*|workspaces?|organi[sz]ations?|teams?|profiles?|devices?|permanently|everything)|drop (?:table|database)`,
}

/** Verbs that count only on the control that submits a form. Elsewhere, such a control opens a form. */
const ENGLISH_OF_FORMS = 'share|reply|comment|forward|respond'

/** Languages with spaces between words: whole words count anywhere in a name. */
const OTHER_LANGUAGES: readonly CommitWords[] = [
  {
    acts: [
      'pagar|pague|paga|comprar|compra ahora|(?:realizar|hacer|confirmar|finalizar|tramitar) (?:el |la |tu |mi )?(?:pedido|compra|pago)|donar|reservar|suscribirse|enviar|envia|mandar|publicar|transferir|retirar (?:fondos|dinero)|reembolsar|firmar|autorizar|aprobar|invitar|instalar|banear|suspender|revocar|(?:cambiar|actualizar|restablecer|crear|generar|anadir|agregar|desactivar|bloquear|cancelar|cerrar) (?:(?:el|la|al|un|una|mi|tu|su|nuevo|nueva) )*(?:contrasena|correo|e ?mail|clave|token|usuario|miembro|administrador|cuenta|tarjeta|pedido|reserva|suscripcion|cita|sesion)|salir',
    ],
    removes: 'eliminar|borrar|suprimir|darse de baja',
  },
  {
    acts: [
      'bezahlen|(?:jetzt|sicher|sofort) zahlen|^zahlen$|kaufen|zahlungspflichtig|bestellen|zur kasse|(?:kauf|bestellung|zahlung) (?:abschließen|absenden|bestatigen)|spenden|(?:jetzt|verbindlich|kostenpflichtig) (?:buchen|reservieren)|^buchen$|abonnieren|(?:ab|ver)?(?:senden|schicken)|einreichen|veroffentlichen|(?:jetzt |beitrag )posten|^posten$|kundigen|stornieren|uberweisen|auszahlen|erstatten|unterschreiben|unterzeichnen|autorisieren|genehmigen|freigeben|annehmen|einladen|installieren|zugriff (?:erlauben|gewahren)|zum admin(?:istrator)? machen|sperren|verbannen|(?:passwort|kennwort|e ?mail(?: ?adresse)?|api ?schlussel|token|benutzer|nutzer|mitglied|admin(?:istrator)?|konto|karte|zugriff|zugang) (?:andern|zurucksetzen|erstellen|erzeugen|hinzufugen|deaktivieren|blockieren|entziehen|entfernen|schließen)|server (?:neu ?starten|herunterfahren)|abmelden|ausloggen',
    ],
    removes: 'loschen|(?:projekt|profil) entfernen',
  },
  {
    acts: [
      'payer|acheter|commander|(?:valider|confirmer|finaliser|passer) (?:la |ma |votre )?(?:commande|achat|paiement)|faire un don|reserver|s.abonner|envoyer|soumettre|publier|poster|resilier|transferer|virer|(?:effectuer|valider|confirmer) (?:le |un )?virement|rembourser|signer|autoriser|approuver|inviter|installer|bannir|suspendre|revoquer|(?:changer|modifier|reinitialiser|creer|generer|ajouter|desactiver|bloquer|annuler|fermer|cloturer) (?:de |d.)?(?:(?:le|la|l.|un|une|mon|ma|votre|nouveau|nouvelle) ?)*(?:mot de passe|e ?mail|adresse e ?mail|cle|jeton|membre|utilisateur|admin\\w*|compte|carte|commande|reservation|abonnement)|redemarrer (?:le )?serveur|(?:se )?deconnecter|deconnexion',
    ],
    removes: 'supprimer',
  },
  {
    acts: [
      'pagar|comprar|encomendar|(?:fazer|finalizar|confirmar) (?:o |a )?(?:pedido|compra|pagamento)|doar|reservar|enviar|mandar|publicar|postar|transferir|fazer (?:um )?pix|sacar|reembolsar|estornar|assinar|autorizar|aprovar|convidar|instalar|banir|suspender|revogar|(?:alterar|mudar|atualizar|redefinir|repor|criar|gerar|adicionar|desativar|bloquear|cancelar|encerrar) (?:(?:o|a|um|uma|meu|minha|sua|seu|novo|nova) )*(?:senha|palavra passe|e ?mail|chave|token|usuario|utilizador|membro|administrador|conta|cartao|pedido|reserva|assinatura|sessao)|sair',
    ],
    removes: 'excluir|apagar|eliminar',
  },
  {
    acts: [
      'оплатить|заплатить|купить|заказать|оформить заказ|(?:подтвердить|сделать) (?:заказ|оплату|покупку)|пожертвовать|забронировать|подписаться|отправить|послать|опубликовать|отписаться|перевести (?:деньги|средства)|вывести (?:деньги|средства)|вернуть (?:деньги|средства|платеж)|подписать|одобрить|разрешить доступ|пригласить|установить|забанить|заблокировать|отозвать (?:доступ|права)|(?:изменить|сменить|сбросить|создать|добавить|отключить|отменить|закрыть) (?:новыи )?(?:пароль|почту|e ?mail|адрес почты|ключ|токен|пользователя|участника|администратора|аккаунт|учетную запись|счет|карту|заказ|подписку|бронь)|(?:перезагрузить|перезапустить) сервер|выити|выход',
    ],
    removes: 'удалить|стереть',
  },
]

/** Languages without spaces between words: parts of a text count, too. */
const WITHOUT_GAPS: readonly CommitWords[] = [
  {
    acts: [
      '購入(?!履歴|済|者|日|品|方法|金額)|注文(?:する|を?確定|を送信)|レジに進む|お?支払(?:う|いをする|いを確定)|決済する|予約(?:する|を?確定)|寄付する|送信(?!済|者|元|先|履歴|トレイ|日時)|送る|提出する|投稿(?!一覧|者|日|数|履歴|設定|先)|公開(?!日|範囲|設定|鍵|情報|者|中)|解約|(?:注文|予約)をキャンセル|振込(?!先|履歴|手数料)|送金(?!先|履歴|手数料)|返金(?:する|$)|署名(?:する|して|$)|承認(?:する|$)|許可する|招待(?:する|$)|インストール(?:する|$)|(?:アカウント|ユーザー|カード)を?(?:停止|凍結|無効化|ロック|ブロック)|(?:パスワード|メールアドレス)を?(?:変更|リセット|再設定)|apiキーを?(?:作成|発行|生成)|(?:管理者|メンバー|ユーザー)を?追加|サーバーを?再起動|ログアウト|サインアウト',
    ],
    removes: '削除(?!済|日|履歴)|消去|退会',
  },
  {
    acts: [
      '购买(?!记录|历史|日期|时间)|購買(?!記錄|紀錄|日期)|下单|下單|结算|結帳|(?:提交|确认|確認)(?:订单|訂單)|(?:确认|確認)?(?:支付|付款)(?!方式|记录|記錄|宝|寶|密码|码|状态|日期)|立即(?:预订|預訂)|捐款|(?<!已)[发發]送(?!记录|記錄|时间|時間|者|人)|傳送|寄出|^提交$|提交(?:申请|表单|評論|评论)|(?<!已)[发發][布佈](?!时间|時間|日期|者|会|會|于)|[发發]表(?!时间|時間|于)|取消(?:订单|訂單|预订|預訂|订阅|訂閱)|转账(?!记录)|轉[帳賬](?!記錄)|汇款|匯款|提现|提現|(?<!申请|申請|已|可)退款(?!政策|记录|記錄|状态|狀態|金额|金額|原因|说明|說明|方式|规则|申请|申請)|签署|簽署|^签名$|授权|授權|批准|邀请|邀請|^安装$|封禁|(?:冻结|停用|禁用|锁定|凍結|鎖定)(?:账户|账号|用户|帳戶|帳號|用戶)|撤[销銷](?:授权|授權|权限|權限)|(?:修改|更改|更换|重置|重設)(?:密码|密碼|邮箱|郵箱)|(?:创建|生成|建立)(?:api ?密[钥鑰]|令牌)|添加(?:管理员|成员|用户)|重启服务器|退出登录|登出|退出$',
    ],
    removes: '(?<!已)删除(?!记录)|(?<!已)刪除|清空(?!筛选)|注销(?:账号|账户)|註銷',
  },
]

/** Objects that are removed without loss: filters, and items of a cart or a list to choose from. */
const HARMLESS_REMOVALS =
  'filt(?:er|re|ro)|фильтр|フィルタ|絞り込み|筛选|篩選|cart\\b|\\bbaskets?\\b|\\bbag\\b|carrito|cesta|panier|warenkorb|carrinho|корзин|カート|购物车|購物車|wish ?list|watch ?list|favou?rites|comparison|\\bsearch'

/** Words that decline a question. */
const DECLINES =
  'cancel|close|back|no|dismiss|keep|not now|later|abort|skip|help|learn more|edit|preview|go back|return|never ?mind|abbrechen|schließen|zuruck|nein|behalten|spater|cancelar|cerrar|volver|atras|annuler|fermer|retour|non|fechar|voltar|nao|отмена|отменить|закрыть|назад|нет|取消|关闭|關閉|返回|否|キャンセル|閉じる|戻る|いいえ|x|×|✕|✖'

/** Words that only agree to a form or dialog, whose title says what the person agrees to. */
const CONSENTS =
  'ok|okay|yes|confirm|continue|go|go ahead|done|proceed|agree|i agree|i understand|finish|complete|do it|next|ja|bestatigen|weiter|fertig|fortfahren|akzeptieren|zustimmen|si|confirmar|continuar|aceptar|listo|siguiente|oui|confirmer|continuer|valider|accepter|terminer|suivant|sim|aceitar|concluir|да|подтвердить|продолжить|готово|далее|принять'

/** Agreement, in scripts without spaces. */
const CONSENTS_WITHOUT_GAPS =
  '是|确定|确认|確定|確認|继续|繼續|同意|完成|好|はい|続行|続ける|次へ|完了'

/** Words that only keep what was entered, whatever the title names. */
const SAVES =
  'apply|save|speichern|guardar|enregistrer|salvar|сохранить|anwenden|ubernehmen|aplicar|appliquer|применить'

/** Saving, in scripts without spaces. */
const SAVES_WITHOUT_GAPS = '保存|适用|應用|应用|適用'

/**
 * Text before the verb of an English name: an icon, "Yes, delete", "Confirm & pay", "Add to cart and pay", "Permanently
 * delete".
 */
const LEAD = `^[^${LETTERS_AND_NUMBERS}]*(?:(?:yes|ok|okay|now|please|proceed to|continue to|i agree,?|agree and|permanently|really|quick|instantly|express|bulk|force|hard|one click|1 click|securely|safely|just|are you sure (?:that )?(?:you (?:want|wish|would like) )?to|do you (?:really )?want to|you are about to|this will)[ ,:;!]*)*(?:(?:(?:add|remove|move|clear|empty|take|save|keep|apply|accept|agree|read|review|check|update|close) [${LETTERS}]+(?: [${LETTERS}]+){0,4}|[${LETTERS}]+) (?:and|&|then|\\+) )?`
const FIRST = `(?<![${LETTERS_AND_NUMBERS}])`
const LAST = `(?![${LETTERS_AND_NUMBERS}])`
const LONG = 120
/** Vietnamese words that become the English "ban" without their accents: you, to sell, a table, a copy. */
const NOT_ENGLISH = /^\s*b[ạáàả]n(?!\p{L})/iu

interface Rule {
  readonly kind: keyof CommitWords
  /** Finds the word that commits, in a folded text. */
  readonly find: (text: string) => string | undefined
}

const leadPattern = pattern(() => `${LEAD}$`)
const english = createRules(ENGLISH, findAfterLead)
const formRule: Rule = { kind: 'acts', find: findAfterLead(ENGLISH_OF_FORMS) }
const otherRules = [
  ...OTHER_LANGUAGES.flatMap((words) =>
    createRules(words, (word) => findFirst(`${FIRST}(?:${word})${LAST}`)),
  ),
  ...WITHOUT_GAPS.flatMap((words) => createRules(words, findFirst)),
]
const harmless = pattern(() => HARMLESS_REMOVALS)
const consents = startsWithAny(CONSENTS, CONSENTS_WITHOUT_GAPS)
const saves = startsWithAny(SAVES, SAVES_WITHOUT_GAPS)
const declines = pattern(() => `^[^${LETTERS_AND_NUMBERS}×✕✖]*(?:${DECLINES})${LAST}`)

/** Owner of a name. `ending`: the control that submits a form or closes a dialog, or the title. */
export type Named = 'control' | 'ending'

/** Returns the word in a name that says that its control commits the person to something, or null. */
export function findCommitWord(name: string, owner: Named = 'control'): string | null {
  // Three dots announce a question first, by convention.
  if (/(?:\.{3}|…)\s*$/.test(name)) return null
  const start = name.slice(0, LONG)
  const latin = withLatinLetters(start)
  const found = findCommit(start, owner)
  return found ?? (latin === start ? null : findCommit(latin, owner))
}

function findCommit(name: string, owner: Named): string | null {
  const text = normalizeWords(name).trim()
  const isEnglish = !NOT_ENGLISH.test(name.normalize('NFC'))
  const rules = [
    ...(isEnglish ? english : []),
    ...(owner === 'ending' ? [formRule] : []),
    ...otherRules,
  ]
  for (const { kind, find } of rules) {
    const word = find(text)
    if (word && !(kind === 'removes' && harmless().test(findClause(text, word)))) return word
  }
  return null
}

/** The part of a name around the word: "Remove from cart and delete account" is not about a cart. */
function findClause(text: string, word: string): string {
  return text.split(/ (?:and|&|then|\+) /).find((clause) => clause.includes(word)) ?? text
}

/** Whether a name declines what is asked. */
export function isDeclineLabel(name: string): boolean {
  return declines().test(normalizeWords(name.slice(0, LONG)).trim())
}

/**
 * Whether a name only agrees to what its form or dialog asks: "OK", "Yes". A name without letters or digits, such as an
 * icon, is also regarded as agreeing.
 */
export function isConsentLabel(name: string): boolean {
  const text = normalizeWords(name.slice(0, LONG)).trim()
  return !/[\p{L}\p{N}]/u.test(text) || consents().test(text)
}

/** Whether a name only saves what was entered: "Save changes". */
export function isSaveLabel(name: string): boolean {
  return saves().test(normalizeWords(name.slice(0, LONG)).trim())
}

/** Whether a name is about a cart or a filter. */
export function isHarmless(name: string): boolean {
  return harmless().test(normalizeWords(name.slice(0, LONG)))
}

/** Addresses that act when they are opened: a part of the path is a verb, or the query says so. */
const ACTING_ADDRESS =
  /(?<=[/?&=])(?:delete|destroy|erase|purge|deactivate|terminate|cancel|unsubscribe|log-?out|sign-?out|revoke|approve|accept|confirm(?:ed)?|grant|promote|disable|reset|remove)(?=[/?&=#.;]|$)|(?<=\/)(?:pay|buy|send|transfer|withdraw|invite|publish|checkout|subscribe)(?=\/?\?.)/i

/** Returns the word in an address that says that opening it acts, or null: `/account/delete?confirm=1`. */
export function readAddress({ pathname, search }: URL): string | null {
  // Servers read a letter that is percent-encoded like the letter itself.
  const address = decodePercents(pathname + search)
  const found = ACTING_ADDRESS.exec(address)
  // Anybody can write a link to `/account/delete?from=search`: only the path before the verb names what it is about.
  const isLossless = isHarmless(address.slice(0, found?.index).replace(/[?;].*/s, ''))
  return found && !isLossless ? found[0] : null
}

function createRules(
  { acts, removes }: CommitWords,
  finder: (words: string) => Rule['find'],
): readonly Rule[] {
  return [
    ...acts.map((words): Rule => ({ kind: 'acts', find: finder(words) })),
    { kind: 'removes', find: finder(removes) },
  ]
}

function findFirst(words: string): Rule['find'] {
  const expression = pattern(() => words)
  return (text) => expression().exec(text)?.[0]
}

/**
 * Finds the last word that only a lead precedes. The lead has its own expression: combined with the words, it takes V8
 * seven times as long to compile.
 */
function findAfterLead(words: string): Rule['find'] {
  const expression = pattern(() => `(?<word>${words})${LAST}`, 'g')
  return (text) => {
    const matcher = expression()
    let word: string | undefined
    for (let match = matcher.exec(text); match; match = matcher.exec(text)) {
      if (leadPattern().test(text.slice(0, match.index))) word = match.groups?.['word']
      // Matches may overlap: "Please sign" has "e sign" in it.
      matcher.lastIndex = match.index + 1
    }
    return word
  }
}

function startsWithAny(words: string, withoutGaps: string): () => RegExp {
  return pattern(() => `^[^${LETTERS_AND_NUMBERS}]*(?:(?:${words})${LAST}|${withoutGaps})`)
}

/** Folds the pattern's source as names are folded. */
function pattern(getSource: () => string, flags?: string): () => RegExp {
  return lazyPattern(() => normalizeLetters(getSource()), flags)
}
