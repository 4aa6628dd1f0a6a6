import { isCustomStorage, type StorageConfig } from '../../protocol/conversation.ts'
import { badConfig } from './failures.ts'

/**
 * Option names, by the function or option that takes them. `name:kind|kind` lists the types that an option takes.
 * `name=word|kind` lists its allowed strings and types. Stored as text, which is smaller than objects.
 * test/types/option-names.test-d.ts checks that no name is missing.
 */
export const OPTION_NAMES = {
  createAgent:
    'model instructions:string values:object tools:array enabledTools:array controlTools:array skills:array questionFields:boolean context:function toolApproval=never|destructive|writes|always|function whileTainted=ask-effects|ask-writes|allow consent=person|page beforeToolCall:function afterToolCall:function beforeModel:function redact:function verify:function verifyRounds verifyTimeoutMs:number reflect:object maxSteps retries maxChildren memory:object|array compaction:object|boolean limits:object storage=memory|object retention:object titles:object|boolean worker:function workerUrl engines:array raw:boolean requests:boolean heartbeatMs:number',
  configure: 'model instructions:string values:object',
  run: 'conversationId signal maxSteps retries maxChildren limits:object ifBusy=refuse|queue|replace history values:object|boolean',
  send: 'when=next-step|now|after-run|soonest values:object|boolean',
  resume: 'interrupted=tell-model|ask waitForToolsMs:number',
  approve: 'input remember=run|conversation consent',
  settle: 'output error',
  fork: 'at',
  rows: 'after:number',
  export: 'through:number',
  registerTool: 'signal replace:boolean',
  extract: 'schema input retries:number signal onUsage:function',
  model:
    'provider:string model:string baseURL apiKey:string|function headers:object|function credentials=omit|same-origin api=responses|chat toolMode=auto|native|action inputMode=messages|prompt contextWindow:number temperature:number maxOutputTokens:number topP:number stop:array seed:number|negative toolChoice=auto|none|required|object parallelToolCalls:boolean strictTools:boolean cache:boolean extraBody:object transport=worker|page retry:object timeouts:object caps:object rescue=auto|off prices:object script:object',
  tool: 'name title:string description:string inputSchema jsonSchema applyDefaults:boolean annotations:object remote:object timeoutMs:number sequential:boolean needsApproval:boolean|function commits:function consentKey:function describe:function secretsIn:function available:function dispose:function reconcile:function undo:function toModelOutput:function metadata execute:function',
  asTool:
    'name:string title:string description:string inputSchema toPrompt:function output maxSteps:number needsApproval:boolean',
  compositeTool: 'run version:string',
  // `title` is allowed because MCP's annotations have it. It has no effect here.
  annotations:
    'readOnly:boolean destructive:boolean idempotent:boolean supersedes:boolean untrustedContent:boolean openWorld:boolean reversible:boolean title',
  remote: 'source:string endpoint:string digest:string trusted:boolean',
  controlTools: 'ask_user finish_task plan',
  skills:
    'name:string description:string instructions:string files:object tools:array restrictTools:array metadata loaded:boolean',
  compaction:
    'contextWindow:number at:number policy=auto|clear-results|summarize|drop-oldest|function',
  limits: 'steps:number tokens:number costUSD:number minutes:number',
  prices: 'input:number cachedInput:number cacheWrite:number output:number',
  storage: 'name:string type:string',
  titles: 'model',
  reflect: 'instructions:string model mode=annotate|replace timeoutMs:number',
  retention: 'days:number conversations:number bytes:number',
  retry: 'maxRetries:number baseDelayMs:number maxDelayMs:number',
  timeouts: 'firstChunkMs:number idleMs:number',
  caps: 'calls:number text:number reasoning:number arguments:number metadata:number files:number',
  toolChoice: 'toolName:string',
  script: 'steps scenes fallback paceMs pieceLength',
  scenes: 'match steps',
  steps: 'text reasoning toolCalls error delayMs',
  toolCalls: 'toolName input',
} as const

type Owner = keyof typeof OPTION_NAMES

export interface NamesCheck {
  /** Owner of the options, as the error message names it. */
  readonly label?: string
  allows?(name: string, value: unknown): boolean
}

/**
 * Throws for an unknown option at any depth, and for a value of the wrong kind. For an unknown option, the message
 * suggests the likely one or lists all.
 */
export function checkNames(
  value: unknown,
  owner: Owner,
  { label = owner, allows }: NamesCheck = {},
): void {
  if (Array.isArray(value)) return value.forEach((item) => checkNames(item, owner, { label }))
  const specs = specsOf(owner)
  for (const [name, inner] of entriesOf(value, owner, label)) {
    const spec = specs.find((each) => each[0] === name)
    if (!spec) {
      if (allows?.(name, inner)) continue
      throw badConfig(`${label} has no ${name}. ${hint(name, owner)}`)
    }
    if (inner === undefined) continue
    const kinds = spec[2]?.split('|')
    const isWord = spec[1] === '=' && kinds?.includes(inner as string)
    if (kinds && !isWord && !kinds.includes(kindOf(inner)))
      throw badConfig(`${name} of ${label} must be ${kinds.join(' or ')}.`)
    // Models are checked separately: a provider may have its own options.
    if (Object.hasOwn(OPTION_NAMES, name) && name !== 'model' && !isWord && !isPlain(inner, name))
      checkNames(inner, name as Owner, { label: `${name} of ${label}` })
  }
}

/**
 * True for a value that may replace an options object, such as `false`: it has no names to check. The value's kind was
 * checked before.
 */
function isPlain(value: unknown, name: string): boolean {
  if (name === 'storage') return isCustomStorage(value as StorageConfig)
  return typeof value === 'number' || value === false || (value === true && name === 'titles')
}

/** Returns name and value of each option. Control tools are a list of names. */
function entriesOf(value: unknown, owner: Owner, label: string): [name: string, value?: unknown][] {
  if (owner === 'controlTools') return [[String(value)]]
  if (typeof value === 'object' && value !== null) return Object.entries(value)
  throw badConfig(`${label} must be an object.`)
}

/** Splits each option into its name, a sign (`:` or `=`) and its allowed kinds. */
function specsOf(owner: Owner): string[][] {
  return OPTION_NAMES[owner].split(' ').map((spec) => spec.split(/([:=])/))
}

function namesOf(owner: Owner): string[] {
  return specsOf(owner).map(([name = '']) => name)
}

function kindOf(value: unknown): string {
  if (typeof value === 'number') return value >= 0 ? 'number' : 'negative'
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
}

/** True for a known option in another case or punctuation (`base_url`), or within `letters` edits. */
export function isMisspelt(name: string, owner: Owner, letters = 0): boolean {
  return namesOf(owner).some((option) =>
    isWithin(letters, normalizeName(name), normalizeName(option)),
  )
}

/** Names that other libraries use. */
const ALIASES: { readonly [name: string]: string } = {
  parameters: 'inputSchema',
  system: 'instructions',
  systemprompt: 'instructions',
  maxtokens: 'maxOutputTokens',
  claude: 'anthropic',
  custom: 'openai-compatible',
  opensource: 'openai-compatible',
}

/**
 * Returns the name in the form that is compared: lower case, without punctuation. Another library's name becomes ours.
 */
function canonicalName(name: string): string {
  const canonical = normalizeName(name)
  return (Object.hasOwn(ALIASES, canonical) && normalizeName(ALIASES[canonical] ?? '')) || canonical
}

/**
 * Suggests the likely option of `owner`, or an option of that name elsewhere. If there is neither, lists all options.
 */
function hint(name: string, owner: Owner): string {
  const canonical = canonicalName(name)
  const elsewhere = (): string | undefined => {
    for (const otherOwner in OPTION_NAMES) {
      const match = namesOf(otherOwner as Owner).find(
        (option) => canonical === normalizeName(option),
      )
      if (match) return `${match} of ${otherOwner}`
    }
    return undefined
  }
  return hintAmong(name, namesOf(owner), elsewhere)
}

/**
 * Returns the known name that was probably meant, at most 5 edits away. Each further edit would take three times as
 * long.
 */
export function nearest(name: string, knownNames: readonly string[]): string | undefined {
  const canonical = canonicalName(name)
  for (let edits = 0; edits < 6 && edits * 2 < canonical.length; edits++) {
    const match = knownNames.find((candidate) => isNear(canonical, normalizeName(candidate), edits))
    if (match) return match
  }
  return undefined
}

/** Suggests the known name that was probably meant, or the result of `elsewhere`. If there is neither, lists all. */
export function hintAmong(
  name: string,
  knownNames: readonly string[],
  elsewhere?: () => string | undefined,
): string {
  const match = nearest(name, knownNames) ?? elsewhere?.()
  return match ? `Did you mean ${match}?` : `It has ${knownNames.join(', ')}.`
}

/**
 * Whether two names match within `edits` edits, and these are fewer than half of the letters. If `edits` isn't 0, a
 * part of at least three letters matches, too: `approval` matches `needsApproval`.
 */
function isNear(name: string, other: string, edits: number): boolean {
  if (edits > 0 && (name.includes(other) || (name[2] && other.includes(name)))) return true
  return edits * 2 < other.length && isWithin(edits, name, other)
}

function normalizeName(name: string): string {
  return name.toLowerCase().replace(/\W|_/g, '')
}

/** Whether `edits` edits turn one name into the other. An edit adds, removes or changes a letter, or swaps two. */
function isWithin(edits: number, from: string, to: string): boolean {
  if (Math.abs(from.length - to.length) > edits) return false
  if (!from) return true
  const restMatches = (fromCount: number, toCount: number, cost = 1): boolean =>
    isWithin(edits - cost, from.slice(fromCount), to.slice(toCount))
  if (from[0] === to[0]) return restMatches(1, 1, 0)
  if (from[0] === to[1] && from[1] === to[0] && restMatches(2, 2)) return true
  return restMatches(1, 1) || restMatches(1, 0) || restMatches(0, 1)
}
