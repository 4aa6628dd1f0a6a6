import type { Refused, RequestForm } from '../provider.ts'
import { asText } from './read-json.ts'
import { filesOf, metadataOf, offersTools } from './refused.ts'
import { fileDigest, metadataDigest, optionalFields, tokenField } from './request-form.ts'

/** Words of a refusal or of the path of its field, and the changes that they ask for. */
type Rule = readonly [
  words: RegExp,
  changes: (
    refused: Refused,
    context: { readonly text: string; readonly form: RequestForm },
  ) => readonly string[] | string,
]

const TOKENS =
  /\bmax_\w*tokens\b|\b(?:output|completion|generated) tokens?\b|\btokens? (?:limit|requested)/i
const SCHEMA =
  /schema|grammar|function_?\s?declaration|\bparameters\b|\$(?:ref|defs)\b|\btools\W+\d/i

const rules: readonly Rule[] = [
  [/\/v1\/responses\b/i, ({ hasResponses }) => (hasResponses ? 'api responses' : [])],
  [TOKENS, tokenChanges],
  [TOKENS, () => ['without max_tokens', 'without max_completion_tokens']],
  [/./s, optionChanges],
  [/\bstream(?:ing)?\b/i, () => 'stream off'],
  [/(?:\b|_)(?:image|picture|vision|multi-?modal)/i, fileChanges('image/')],
  [/\baudio\b/i, fileChanges('audio/')],
  [/(?:\b|_)(?:file|pdf|document)/i, fileChanges('')],
  [/reasoning|thinking|thought|signature|encrypted_content|\brs_/i, metadataChanges],
  [/(?:tool_call|tool_use|call)_?\s?id|tool_calls\W+\d+\W+id\b/i, () => 'ids short'],
  [/messages\W+\d+\W+(?:\w+\W+)?name\b/, () => 'names none'],
  [
    /\b(?:blank|empty)\b|content\b.{0,60}\bnull\b|\bnull\b.{0,60}\bcontent/i,
    () => 'contents filled',
  ],
  [/\b(?:system|developer)\b|\broles?\b|alternat/i, () => 'roles simple'],
  [
    SCHEMA,
    ({ body }) => (JSON.stringify(body['tools'])?.includes('"strict":true') ? 'strict off' : []),
  ],
  [SCHEMA, (refused) => (offersTools(refused) ? 'schemas portable' : [])],
  [SCHEMA, (refused) => (offersTools(refused) ? 'schemas minimal' : [])],
]

/** The changes that a refusal asks for by name and that the form lacks. Empty: it names nothing that is known. */
export function namedChanges(refused: Refused, form: RequestForm): readonly string[] {
  const { message, details } = refused.error
  // A pointer such as `#/properties/stream` names a place in a schema, not a field of the request.
  const said = message.replace(/^The endpoint answered \d+: /, '').replace(/#\/\S+/g, 'schema')
  const text = `${asText(details?.['field']) ?? ''} ${said}`
  for (const [words, changes] of rules) {
    if (!words.test(text)) continue
    const news = [changes(refused, { text, form })].flat().filter((change) => !form.has(change))
    if (news.length > 0) return news
  }
  return []
}

/** Another name for the limit, or the nearest number that the endpoint says it takes. */
function tokenChanges({ body }: Refused, { text }: { readonly text: string }): string | string[] {
  const field = tokenField(body)
  if (field === undefined) return []
  if (/unsupported|unrecognized|unknown|not support|extra|unexpected|forbidden/i.test(text))
    return field === 'max_output_tokens' ? `without ${field}` : 'tokens renamed'
  const asked = Number(body[field])
  const numbers = (text.match(/\b\d[\d,]*\b/g) ?? []).map((one) => Number(one.replaceAll(',', '')))
  const lower = Math.max(...numbers.filter((one) => one > 0 && one < asked))
  const higher = Math.min(...numbers.filter((one) => one > asked))
  if (lower > 0) return `tokens max ${lower}`
  return higher < Infinity ? `tokens min ${higher}` : `without ${field}`
}

/** Names of fields that are words of other sentences, too: they count where they are quoted. */
const WORDS = /^[a-z]+$/

/** The optional field that is named last: of two that exclude each other, the first one stays. */
function optionChanges(
  { body }: Refused,
  { text, form }: { readonly text: string; readonly form: RequestForm },
): string[] {
  const places = optionalFields(body)
    .map((name) => {
      const [before, behind] = WORDS.test(name)
        ? ['(?:[\'"`]|^|param\\w*:? )', '(?=[\'"`.[]| |$)']
        : ['\\b', '\\b']
      return [name, text.search(new RegExp(`${before}${name}${behind}`))] as const
    })
    .filter(([, at]) => at >= 0)
  const named = places.toSorted(([, a], [, b]) => a - b).at(-1)
  const inside = /\b(cache_control|citations|phase)\b/.exec(text)?.[1]
  const field = named?.[0] ?? inside
  if (field === undefined) return []
  const change = `without ${field}`
  // An endpoint that refuses a second one would refuse the others one by one.
  const isSecond = [...form].some((other) => other.startsWith('without ') && other !== change)
  return isSecond ? [change, 'options none'] : [change]
}

/** Words that something is never taken; else only this one was wrong. */
const NEVER =
  /not? (?:\w+ )?support|unsupported|only (?:be )?supported|unknown variant|not (?:\w+ )?(?:enabled|available|allowed|permitted)|does not (?:accept|take)|\bno \w+ found|content type/i

function fileChanges(kind: string): Rule[1] {
  return (refused, { text, form }) => {
    const files = filesOf(refused).filter(({ mediaType }) => mediaType.startsWith(kind))
    if (files.length === 0) return []
    if (NEVER.test(text)) return `files ${kind}`
    const digests = files.map(fileDigest)
    // The newest was not there when the others were taken; of too many, it is the one that is talked about.
    if (digests.some((digest) => form.has(digest)) || files.length === 1) return digests
    return /at most|too many|maximum|exceed|up to \d/i.test(text)
      ? digests.slice(0, -1)
      : digests.slice(-1)
  }
}

/** Missing metadata can't be made up, so its calls become words. Refused metadata is left out. */
function metadataChanges(
  refused: Refused,
  { text, form }: { readonly text: string; readonly form: RequestForm },
): string | string[] {
  if (/must be|required|missing|expected|passed back/i.test(text)) return 'calls text'
  const metadata = metadataOf(refused)
  if (metadata.length === 0) return []
  // Refused again, with other metadata: it takes none.
  const isAgain = [...form].some((change) => change.startsWith('metadata '))
  return isAgain || NEVER.test(text) ? 'metadata none' : metadata.map(metadataDigest)
}
