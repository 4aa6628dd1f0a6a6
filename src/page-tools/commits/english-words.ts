import type { CommitWords } from './commit-kinds.ts'

const THE = '(this |that |the |my |your |selected |all |an? )?'
const PEOPLE =
  '(users?|members?|accounts?|customers?|clients?|people|persons?|players?|participants?|subscribers?|sellers?|senders?|admins?|employees?|him|her|them)'
const HOLDINGS = `(${PEOPLE}|(credit |debit |bank )?cards?|wallets?|funds|access|log ?ins?|payouts?)`
const MACHINES =
  '(servers?|instances?|machines?|containers?|services?|clusters?|nodes?|vms?|pods?|databases?|hosts?|systems?|devices?|routers?|production)'
const KEYS =
  '(passwords?|passcodes?|pins?|credentials?|2fa|mfa|two factor( auth\\w*)?|((api|access|secret|signing|client|webhook) )?(keys?|tokens?|secrets?))'

/**
 * What English controls begin with that do something for good. A noun of the same form is told by what follows it:
 * "Order by", "Post office".
 */
export const ENGLISH_WORDS: CommitWords = {
  pays: 'pay(?! (later|rates?|periods?|slips?|stubs?|attention|history|grades?))|buy|purchase(?! (history|orders?|dates?|details?|requests?|prices?|protection|policy|terms))|(pre|re) ?order|order(?! (by|histor(y|ies)|details?|status|numbers?|no\\b|ids?|summary|dates?|totals?|lists?|track\\w*|confirmation|info\\w*|types?|notes?|asc\\w*|desc\\w*|books?|management|of|in|forms?|overview|items?|is|#|\\d{3}))|donate|subscribe|rent(?! control)|book (now|it|this|my|your|an?|the|appointments?|flights?|rooms?|tables?|tickets?|seats?|stay|trip|ride|tour|hotels?|for|\\d)|book$|reserve|place (my |your |the |an? )?(order|bid|bet|trade)|(complete|confirm|finali[sz]e|submit) (my |your |the |this )?(order|purchase|payment|booking|reservation|subscription|checkout|transaction|trade)|make (a |the |this )?payment|start (my |your )?(free )?(trial|subscription|membership)|((google|apple|shop|amazon|samsung) |g ?)pay$|charge$|charge(?= ?[$€£¥\\d])|charge (again|now)|charge (the |this |my |your |a )?((credit |debit )?cards?|customers?|clients?|accounts?|users?)|capture (the |this )?(payments?|funds)',
  sends:
    'send(?! (to back|backwards?|logs?|histor(y|ies)|rates?|limits?|options?|settings|dates?))|re ?send|submit(?! (dates?|times?|histor(y|ies)|status))|unsubscribe|share (with|to|publicly|now)|e ?mail (it|this|to|them|him|her)|forward to',
  publishes:
    'post(?! (offices?|codes?|details?|titles?|histor(y|ies)|settings|types?|categor\\w+|lists?|tags?|ids?|views?|mortem|war|production|grad\\w*|authors?|dates?|by|body|content|urls?|formats?|templates?|\\d))|(re)?publish|(re)?tweet(?! (history|settings))|go live|make (it |this )?public|deploy(?! (keys?|histor(y|ies)|logs?|status))',
  deletes:
    'delete(?! keys?)|erase|destroy|wipe|purge|deactivate|terminate|uninstall|empty (the )?(trash|bin|recycle bin)|(factory )?reset (everything|all|account|device|data)|clear (all )?(my |your )?(data|history|everything)|(close|remove) (my |your |this |the )?account|remove (my |your |this |the )?(users?|members?|projects?|repo\\w*|workspaces?|organi[sz]ations?|teams?|profiles?|devices?|permanently|forever|everything|all data)|drop (table|database)',
  cancels:
    'cancel (my |your |this |the )?(accounts?|subscriptions?|orders?|bookings?|reservations?|memberships?|plans?|appointments?|contracts?|polic(y|ies)|flights?)',
  transfers:
    'transfer(?! (histor(y|ies)|status|speed|rates?|stations?|types?|details?|lists?|s\\b))|withdraw(?!als?)|wire|deposit(?! (histor(y|ies)|rates?|slips?))|cash out|top up|confirm (the |this |my )?(transfer|withdrawal)|((issue( a)?|process|full|partial) )*refund(?! (polic(y|ies)|histor(y|ies)|status|reasons?|amounts?|details?|methods?|rules?|options?|terms|requests?|dates?|lists?|info\\w*|id))',
  signs: 'sign(?! (in|up|on|into|out|off|language))|e ?sign|countersign',
  allows: `authori[sz]e|grant|approve|allow access|give access|install(?! (guide|instructions?|docs?|size|dates?|notes?))|(confirm )?merge (pull request|and|into)|confirm merge|confirm deletion|make ((him|her|them|this|the|user|member) )*(an? |the )?(co )?(admin(istrator)?s?|owners?|moderators?|super ?users?)|promote$|promote (to|${THE}${PEOPLE})`,
  blocks: [
    `(ban|kick|lock out|downgrade) ${THE}${PEOPLE}`,
    'ban$|ban (from|for|permanently|ip)',
    `suspend(?! (dates?|reasons?|histor(y|ies)))`,
    `revoke(?! (dates?|reasons?|histor(y|ies)))`,
    `(block|disable|freeze|lock) ${THE}${HOLDINGS}`,
    `disable ${THE}${KEYS}`,
    'kick$|kick out',
    `downgrade$|downgrade ${THE}(plans?|subscriptions?|to)`,
  ].join('|'),
  resets: `reset ${THE}((user|member|account)( s)? )?${KEYS}|(rotate|regenerate|roll) ${THE}${KEYS}|force (a )?password (reset|change)`,
  restarts: `(restart|reboot|shut ?down|power (off|cycle)|stop|kill) ${THE}${MACHINES}|reboot$|shut ?down$|roll ?back ${THE}(deployments?|releases?|versions?|production|databases?|migrations?|to)`,
  'acts as another':
    'impersonate|((log|sign) ?in|act) as (this |the |selected )?(user|member|customer|client)',
  'logs out': 'log ?out|sign ?(out|off)|log ?off|end (my |this |the )?session',
}

/** What a question says of what happens then: "The account will be deleted." */
export const ENGLISH_OUTCOMES: CommitWords = {
  pays: 'charged|billed|purchased|paid',
  sends: 'sent|submitted|e ?mailed|forwarded',
  publishes: '(re)?published|posted|made public|deployed',
  deletes:
    'deleted|erased|destroyed|wiped|purged|deactivated|terminated|uninstalled|(removed|lost|gone) (permanently|forever|for good)',
  cancels: 'cancel(l)?ed',
  transfers: 'transferred|withdrawn|wired|refunded',
  allows: 'granted|authori[sz]ed|approved|installed|merged',
  blocks: 'banned|suspended|revoked|locked out',
  restarts: 'restarted|rebooted|shut down',
  'logs out': '(logged|signed) (out|off)',
}

/** Of a form or a dialog only: elsewhere a control of this name opens one. */
export const ENGLISH_FORM_WORDS: CommitWords = {
  sends: 'share|reply|comment|invite|forward|respond',
}
