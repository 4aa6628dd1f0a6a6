import type { CompositeTool, Tool } from '../../client/tools/tool.ts'
import { isRecord } from '../../lib/shape.ts'
import { sha256 } from '../../lib/sha256.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import type {
  DefinitionChange,
  McpDiagnostic,
  McpHints,
  McpOptions,
  McpToolInfo,
  McpToolOptions,
  McpKeyStore,
} from './options.ts'
import { listAll, type McpConnection, type SignalFactory } from './connection.ts'
import { cleanPrefix, makeTool, modelName } from './make-tool.ts'
import { sanitizeLine, sanitizeText } from './failures.ts'
import { canonicalJson } from '../../lib/json/canonical-json.ts'
import { type UntrustedSchema, readUntrustedSchema } from '../../lib/untrusted-data.ts'
import { cleanUntrustedText } from '../../lib/invisible.ts'
import { cleanName } from '../../client/tools/clean-name.ts'
import { findInvalidSchemaPath } from '../../client/tools/invalid-schema.ts'

type AnyTool = Tool | CompositeTool

interface CatalogueParts {
  readonly line: McpConnection
  /** Address of the server. Definitions are pinned under it. */
  readonly address: string
  readonly options: McpToolOptions & Pick<McpOptions, 'elicitation'>
  readonly newSignal: SignalFactory
  onChange(): void
}

interface ListedTool {
  readonly info: McpToolInfo
  readonly tool: AnyTool
}

/** A server's tools, their accepted definitions and their changes. */
export class Catalogue {
  readonly #parts: CatalogueParts
  readonly #prefix: string
  readonly #pins: Promise<Pins>
  /** All usable tools of the server, including tools whose definition isn't accepted. */
  #listed: readonly ListedTool[] = []
  #tools: readonly AnyTool[] = []
  #changes: readonly DefinitionChange[] = []
  #listing: Promise<void> | undefined
  #nextListing: Promise<void> | undefined

  constructor(parts: CatalogueParts) {
    this.#parts = parts
    this.#prefix = cleanPrefix(parts.options.prefix, parts.line.info.name)
    this.#pins = loadPins({
      store: parts.options.pins,
      address: parts.address,
      nameOf: (name) => modelName(this.#prefix, name),
    })
    // Ignored here, because listing the tools reports the failure.
    this.#pins.catch(() => undefined)
  }

  /** Accepted tools. The array stays the same while nothing changes, and so does a tool while its definition does. */
  get tools(): readonly AnyTool[] {
    return this.#tools
  }

  /** Changed definitions that aren't accepted yet, so the tools aren't offered. */
  get changes(): readonly DefinitionChange[] {
    return this.#changes
  }

  /** Lists the tools again, within a time limit. If a listing is running, starts another one after it. */
  refresh(signal: AbortSignal = this.#parts.newSignal()): Promise<void> {
    if (!this.#listing) {
      this.#listing = this.#list(signal).finally(() => (this.#listing = undefined))
      return this.#listing
    }
    // The running listing may have been answered before the latest change.
    this.#nextListing ??= this.#listing
      .catch(() => undefined)
      .then(() => {
        this.#nextListing = undefined
        return this.refresh()
      })
    return this.#nextListing
  }

  /** Accepts a changed definition. Returns false if no change has this name. */
  async accept(name: string): Promise<boolean> {
    const pins = await this.#pins
    const change = this.#changes.find((candidate) => candidate.name === name)
    if (!change) return false
    pins.set(modelName(this.#prefix, name) ?? name, change.after)
    await pins.save()
    // A listing that is running now will also see this definition as accepted.
    this.#applyListing(this.#listed, pins)
    return true
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { line: connection, options } = this.#parts
    const pins = await this.#pins
    const onCut = (message: string): void =>
      this.#report(
        'tool-left-out',
        undefined,
        `${connection.source} ${message}: the others are left out.`,
      )
    const listing = { method: 'tools/list', field: 'tools', signal, onCut }
    const definitions = isRecord(connection.info.capabilities.tools)
      ? await listAll(connection, listing)
      : []
    const listed: ListedTool[] = []
    for (const [name, info] of this.#readDefinitions(definitions)) {
      const change = changeOf(pins.get(name), info)
      if (!change || (await isAccepted(change, options, this.#changes))) pins.set(name, info)
      const tool = await this.#make(info, name)
      if (tool) listed.push(tool)
    }
    const before = this.#changes
    this.#applyListing(listed, pins)
    for (const { name } of this.#changes.filter((change) => !isReported(change, before)))
      this.#report(
        'definition-changed',
        name,
        `${connection.source} changed its tool ${name}. The tool is not offered until accept() is called for it.`,
      )
    await pins.save()
  }

  /** Usable tools by model name. Each has a valid definition, is included by the options, and has a unique name. */
  #readDefinitions(definitions: readonly unknown[]): Map<string, McpToolInfo> {
    const readable = new Map<string, McpToolInfo>()
    for (const definition of definitions) {
      const checked = checkTool(definition)
      if ('problem' in checked) {
        this.#leaveOut(checked.name, checked.problem)
        continue
      }
      const { info, isCleaned } = checked
      if (!isIncluded(info, this.#parts.options.include)) continue
      const name = modelName(this.#prefix, info.name)
      if (name === null) this.#leaveOut(info.name, 'has a name without letters')
      else if (readable.has(name)) this.#leaveOut(info.name, 'has the name of another tool')
      else readable.set(name, info)
      if (isCleaned)
        this.#report(
          'description-cleaned',
          info.name,
          `Hidden characters or excess text were removed from the tool ${info.name} of ${this.#parts.line.source}.`,
        )
    }
    return readable
  }

  /** Makes a tool. Null: the definition is unusable, which was reported. */
  async #make(info: McpToolInfo, name: string): Promise<ListedTool | null> {
    const previous = this.#listed.find((listed) => listed.tool.name === name)
    if (previous && isSame(previous.info, info)) return previous
    const { line: connection, options } = this.#parts
    try {
      const onRefused = (message: string): void => this.#report('input-refused', info.name, message)
      const digest = crypto.subtle && (await sha256(JSON.stringify(info)))
      const tool = makeTool(info, name, { line: connection, options, digest, onRefused })
      checkPatterns(info.inputSchema)
      return { info, tool }
    } catch (thrown) {
      this.#leaveOut(info.name, `can't be used: ${describeThrown(thrown)}`)
      return null
    }
  }

  /** Applies a listing: offers tools with accepted definitions and withholds the others. */
  #applyListing(listed: readonly ListedTool[], pins: Pins): void {
    this.#listed = listed
    const findChange = ({ info, tool }: ListedTool): DefinitionChange | null =>
      changeOf(pins.get(tool.name), info)
    const tools = listed.filter((item) => !findChange(item)).map(({ tool }) => tool)
    const changes = listed.flatMap((item) => findChange(item) ?? [])
    const isEqual =
      tools.length === this.#tools.length &&
      tools.every((tool, at) => tool === this.#tools[at]) &&
      canonicalJson(changes) === canonicalJson(this.#changes)
    if (isEqual) return
    this.#tools = tools
    this.#changes = changes
    this.#parts.onChange()
  }

  #leaveOut(name: string, problem: string): void {
    const { source } = this.#parts.line
    this.#report(
      'tool-left-out',
      name,
      `The tool ${name || 'without a name'} of ${source} ${problem}.`,
    )
  }

  #report(type: McpDiagnostic['type'], tool: string | undefined, message: string): void {
    this.#parts.options.onDiagnostic?.({ type, ...(tool !== undefined && { tool }), message })
  }
}

function isIncluded(info: McpToolInfo, include: McpOptions['include']): boolean {
  if (include === undefined) return true
  return typeof include === 'function' ? include(info) : include.includes(info.name)
}

/** Returns the change of a definition, if any. Another tool with the same model name also counts as a change. */
function changeOf(before: McpToolInfo | undefined, after: McpToolInfo): DefinitionChange | null {
  return before && !isSame(before, after) ? { name: after.name, before, after } : null
}

/** Asks the app once about each change. */
async function isAccepted(
  change: DefinitionChange,
  { onDefinitionChange }: Pick<McpOptions, 'onDefinitionChange'>,
  reported: readonly DefinitionChange[],
): Promise<boolean> {
  return !isReported(change, reported) && (await onDefinitionChange?.(change)) === true
}

/** Whether this change was reported to the app before. */
function isReported({ after }: DefinitionChange, reported: readonly DefinitionChange[]): boolean {
  return reported.some((other) => isSame(other.after, after))
}

/** Throws `schema-unsupported` for an invalid regular expression, which would make every call fail. */
function checkPatterns(schema: unknown): void {
  for (const pattern of patternsIn(schema))
    try {
      void new RegExp(pattern, 'u')
    } catch {
      throw new OffstageError(
        'schema-unsupported',
        `The pattern ${sanitizeLine(pattern, 200)} of its inputSchema is no regular expression.`,
      )
    }
}

/** Keywords whose values are data, not schemas. */
const DATA = /^(const|default|enum|examples)$/
/** Keywords whose values are schemas by name. */
const NAMED = /^(properties|patternProperties|dependentSchemas|\$defs|definitions)$/

function* patternsIn(schema: unknown): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'pattern') yield String(value)
    if (keyword === 'patternProperties') yield* Object.keys(value ?? {})
    if (NAMED.test(keyword))
      for (const subschema of Object.values(value ?? {})) yield* patternsIn(subschema)
    else if (!DATA.test(keyword)) yield* patternsIn(value)
  }
}

/**
 * The definitions of a server's tools, as first seen or last accepted. Each model name has one definition, whatever the
 * server calls the tool.
 */
interface Pins {
  /** Returns the pinned definition. Undefined: no tool with this model name was seen before. */
  get(modelName: string): McpToolInfo | undefined
  set(modelName: string, info: McpToolInfo): void
  /** Stores the definitions for the next page. */
  save(): Promise<void>
}

interface PinOptions {
  readonly store: McpKeyStore | undefined
  /** Address of the server. */
  readonly address: string
  /** Returns the model name for a tool of the server; null if the name is unusable. */
  nameOf(serverName: string): string | null
}

/**
 * Loads the stored definitions. Rejects with `storage-failed` or `storage-full` if the store fails. Unreadable entries
 * count as unseen; they come from the app's own store.
 */
async function loadPins({ store, address, nameOf }: PinOptions): Promise<Pins> {
  const key = `offstage-mcp-pins:${address}`
  const stored = await callStore(address, () => store?.getItem(key))
  // Stored under the server's names, because the next page may use another prefix.
  const pinned = new Map(entriesOf(stored).map(([name, info]) => [nameOf(name) ?? name, info]))
  let changes = 0
  let saved = 0
  return {
    get: (name) => pinned.get(name),
    set(name, info) {
      const previous = pinned.get(name)
      if (previous && isSame(previous, info)) return
      pinned.set(name, info)
      changes++
    },
    async save() {
      const changesAtStart = changes
      if (changesAtStart === saved) return
      const text = JSON.stringify([...pinned.values()].map((info) => [info.name, info]))
      await callStore(address, () => store?.setItem(key, text))
      // Not reached if storing fails, so the next `save()` includes these changes.
      saved = changesAtStart
    },
  }
}

/**
 * Calls the app's store, which may be full or disabled. Rejects with `storage-full` or `storage-failed`, naming the
 * server.
 */
async function callStore<Result>(
  address: string,
  operation: () => Result,
): Promise<Awaited<Result>> {
  try {
    return await operation()
  } catch (thrown) {
    const isFull = thrown instanceof DOMException && thrown.name === 'QuotaExceededError'
    throw new OffstageError(
      isFull ? 'storage-full' : 'storage-failed',
      `The tool definitions of ${address} can't be stored: ${describeThrown(thrown)}`,
      { cause: thrown },
    )
  }
}

/** Whether two definitions are equal in every field. */
function isSame(first: McpToolInfo, second: McpToolInfo): boolean {
  return canonicalJson(first) === canonicalJson(second)
}

function entriesOf(text: string | null | undefined): [string, McpToolInfo][] {
  if (!text) return []
  try {
    const value: unknown = JSON.parse(text)
    if (!Array.isArray(value)) return []
    return value.filter(
      (entry): entry is [string, McpToolInfo] =>
        Array.isArray(entry) && typeof entry[0] === 'string' && isRecord(entry[1]),
    )
  } catch {
    return []
  }
}

/** Maximum characters of a description that the model gets. */
const MAX_DESCRIPTION = 4000

/** A tool from a server's list, or the reason why it is left out. */
type CheckedTool =
  | { readonly info: McpToolInfo; readonly isCleaned: boolean }
  | { readonly name: string; readonly problem: string }

/** Reads a server's untrusted description of a tool, and removes hidden characters. Pure. */
export function checkTool(definition: unknown): CheckedTool {
  if (!isRecord(definition) || typeof definition.name !== 'string' || definition.name === '')
    return { name: '', problem: 'has no name' }
  const { name, title, description, inputSchema, annotations } = definition
  if (name.length > 128 || cleanUntrustedText(name) !== name)
    return {
      name: sanitizeText(name, 128),
      problem: 'has a name that is too long or hides something',
    }
  const parsed = readSchema(inputSchema)
  if ('problem' in parsed) return { name, problem: `has a schema that ${parsed.problem}` }
  const { schema } = parsed
  const text = typeof description === 'string' ? description : ''
  const clean = sanitizeText(text, MAX_DESCRIPTION).trim()
  const hints = readHints(annotations)
  const shownTitle =
    titleOf(title) ?? titleOf(isRecord(annotations) ? annotations.title : undefined)
  return {
    info: {
      name,
      ...(shownTitle !== undefined && { title: shownTitle }),
      description: clean,
      inputSchema: schema,
      hints,
    },
    isCleaned: clean !== text.trim() || JSON.stringify(schema) !== JSON.stringify(inputSchema),
  }
}

function titleOf(value: unknown): string | undefined {
  return (typeof value === 'string' && sanitizeLine(value, 100)) || undefined
}

function readHints(annotations: unknown): McpHints {
  if (!isRecord(annotations)) return {}
  const names = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const
  return Object.fromEntries(
    names.flatMap((name) =>
      typeof annotations[name] === 'boolean' ? [[name, annotations[name]]] : [],
    ),
  )
}

function readSchema(inputSchema: unknown): UntrustedSchema {
  if (!isRecord(inputSchema)) return { problem: 'is no object' }
  const parsed = readUntrustedSchema(inputSchema)
  const problem = 'schema' in parsed ? parametersProblem(parsed.schema) : null
  return problem === null ? parsed : { problem }
}

/** Why `prepareTool` would refuse this schema for a tool's parameters. Completes a sentence after "its schema". */
function parametersProblem(schema: Readonly<Record<string, unknown>>): string | null {
  const { type, properties = {} } = schema
  const isObject = type === 'object' || (type === undefined && Object.keys(schema).length === 0)
  if (!isObject || findInvalidSchemaPath(schema, '') !== null) return 'is not for an object'
  const names = Object.keys(properties as object).map((name) => cleanName(name))
  return new Set(names).size < names.length || names.includes('')
    ? 'has parameter names that differ only in punctuation'
    : null
}
