import type { CommitWords } from './commit-kinds.ts'

/**
 * What English controls begin with that do something for good. A noun of the same form is told by what follows it:
 * "Order by", "Post office".
 */
export const ENGLISH_WORDS: CommitWords = {
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

/** What a question says of what happens then: "The account will be deleted." */
export const ENGLISH_OUTCOMES: CommitWords = {
  pays: 'charged|billed|purchased|paid',
  sends: 'sent|submitted|e ?mailed|forwarded',
  publishes: '(re)?published|posted|made public|deployed',
  deletes:
    'deleted|erased|destroyed|wiped|purged|deactivated|terminated|uninstalled|(removed|lost|gone) (permanently|forever|for good)',
  cancels: 'cancel(l)?ed',
  transfers: 'transferred|withdrawn|wired',
  allows: 'granted|authori[sz]ed|approved|installed|merged',
  'logs out': '(logged|signed) (out|off)',
}

/** Of a form or a dialog only: elsewhere a control of this name opens one. */
export const ENGLISH_FORM_WORDS: CommitWords = {
  sends: 'share|reply|comment|invite|forward|respond',
}
