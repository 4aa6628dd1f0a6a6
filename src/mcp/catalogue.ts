import type { CompositeTool, Tool } from '../client/tool.ts'
import { isRecord } from '../lib/shape.ts'
import { describeThrown } from '../protocol/error.ts'
import { checkTool } from './check-tool.ts'
import type { McpDiagnostic } from './diagnostic.ts'
import type { McpLine } from './line.ts'
import { listAll } from './list-all.ts'
import { makeTool } from './make-tool.ts'
import type { McpOptions, McpToolOptions } from './options.ts'
import { createPatternCheck, type PatternCheck } from './pattern-check.ts'
import { isSame, loadPins, type Pins } from './pins.ts'
import type { Within } from './time-limit.ts'
import type { DefinitionChange, McpToolInfo } from './tool-info.ts'
import { cleanPrefix, modelName } from './tool-names.ts'

type AnyTool = Tool | CompositeTool

interface CatalogueParts {
  readonly line: McpLine
  /** Address of the server, by which definitions are pinned. */
  readonly address: string
  readonly options: McpToolOptions & Pick<McpOptions, 'elicitation'>
  readonly within: Within
  onChange(): void
}

interface Made {
  readonly info: McpToolInfo
  readonly tool: AnyTool
}

/** A server's tools, their accepted definitions and their changes. */
export class Catalogue {
  readonly #parts: CatalogueParts
  readonly #prefix: string
  readonly #pins: Promise<Pins>
  /** All listed tools that can be used, whether or not their definition is accepted. */
  #made: readonly Made[] = []
  #tools: readonly AnyTool[] = []
  #changes: readonly DefinitionChange[] = []
  #listing: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(parts: CatalogueParts) {
    this.#parts = parts
    this.#prefix = cleanPrefix(parts.options.prefix, parts.line.info.name)
    this.#pins = loadPins({
      store: parts.options.pins,
      address: parts.address,
      nameOf: (name) => modelName(this.#prefix, name),
    })
    // Listing the tools reports the failure.
    this.#pins.catch(() => undefined)
  }

  /** Accepted tools. The array stays the same while nothing changes, and so does a tool while its definition does. */
  get tools(): readonly AnyTool[] {
    return this.#tools
  }

  /** Changed definitions, which aren't offered until `accept`. */
  get changes(): readonly DefinitionChange[] {
    return this.#changes
  }

  /** Lists the tools again, within a time limit. A call during a listing starts another one after it. */
  refresh(within: AbortSignal = this.#parts.within()): Promise<void> {
    if (!this.#listing) {
      this.#listing = this.#list(within).finally(() => (this.#listing = undefined))
      return this.#listing
    }
    // The running listing may have been answered before the latest change.
    this.#next ??= this.#listing
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined
        return this.refresh()
      })
    return this.#next
  }

  /** Accepts a changed definition. False: there is none of this name. */
  async accept(name: string): Promise<boolean> {
    const pins = await this.#pins
    const change = this.#changes.find((one) => one.name === name)
    if (!change) return false
    pins.set(modelName(this.#prefix, name) ?? name, change.after)
    await pins.save()
    // A listing that is running now will also see this definition as accepted.
    this.#settle(this.#made, pins)
    return true
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { line, options } = this.#parts
    const pins = await this.#pins
    const cut = (message: string): void =>
      this.#report(
        'tool-left-out',
        undefined,
        `${line.source} ${message}: the others are left out.`,
      )
    const about = { method: 'tools/list', field: 'tools', signal, cut }
    const said = isRecord(line.info.capabilities.tools) ? await listAll(line, about) : []
    const made: Made[] = []
    const check = createPatternCheck()
    for (const [name, info] of this.#readable(said)) {
      const change = changeOf(pins.get(name), info)
      if (!change || (await isAccepted(change, options, this.#changes))) pins.set(name, info)
      const one = await this.#make(info, name, check)
      if (one) made.push(one)
    }
    const before = this.#changes
    this.#settle(made, pins)
    const isNew = (change: DefinitionChange): boolean =>
      !before.some((other) => isSame(other.after, change.after))
    for (const { name } of this.#changes.filter(isNew))
      this.#report(
        'definition-changed',
        name,
        `${line.source} describes its tool ${name} otherwise than before. It is kept back until accept() is called for it.`,
      )
    await pins.save()
  }

  /** Usable tools by model name. Each definition is checked, included by the options, and unique by name. */
  #readable(said: readonly unknown[]): Map<string, McpToolInfo> {
    const found = new Map<string, McpToolInfo>()
    for (const one of said) {
      const checked = checkTool(one)
      if ('problem' in checked) {
        this.#leaveOut(checked.name, checked.problem)
        continue
      }
      const { info, isCleaned } = checked
      if (!isIncluded(info, this.#parts.options.include)) continue
      const name = modelName(this.#prefix, info.name)
      if (name === null) this.#leaveOut(info.name, 'has a name without letters')
      else if (found.has(name)) this.#leaveOut(info.name, 'has the name of another one')
      else found.set(name, info)
      if (isCleaned)
        this.#report(
          'description-cleaned',
          info.name,
          `Of the tool ${info.name} of ${this.#parts.line.source}, hidden characters or more text than allowed were taken out.`,
        )
    }
    return found
  }

  /** Makes a tool. Null: the definition is unusable, which was reported. */
  async #make(info: McpToolInfo, name: string, check: PatternCheck): Promise<Made | null> {
    const known = this.#made.find((one) => one.tool.name === name)
    if (known && isSame(known.info, info)) return known
    const { line, options } = this.#parts
    try {
      const refused = (message: string): void => this.#report('input-refused', info.name, message)
      const tool = makeTool(info, name, { line, options, refused })
      await check(info.inputSchema)
      return { info, tool }
    } catch (thrown) {
      this.#leaveOut(info.name, `can't be used: ${describeThrown(thrown)}`)
      return null
    }
  }

  /** Applies a listing: offers tools with accepted definitions and withholds the others. */
  #settle(made: readonly Made[], pins: Pins): void {
    this.#made = made
    const changeOfOne = ({ info, tool }: Made): DefinitionChange | null =>
      changeOf(pins.get(tool.name), info)
    const tools = made.filter((one) => !changeOfOne(one)).map(({ tool }) => tool)
    const held = made.flatMap((one) => changeOfOne(one) ?? [])
    const isEqual =
      tools.length === this.#tools.length &&
      tools.every((tool, at) => tool === this.#tools[at]) &&
      held.length === this.#changes.length &&
      held.every(({ after }, at) => isSame(after, this.#changes[at]?.after ?? after))
    if (isEqual) return
    this.#tools = tools
    this.#changes = held
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

/** The change of a tool's definition, if any. A different tool that has the same model name counts as a change, too. */
function changeOf(before: McpToolInfo | undefined, after: McpToolInfo): DefinitionChange | null {
  return before && !isSame(before, after) ? { name: after.name, before, after } : null
}

/** Asks the app once about each change. */
async function isAccepted(
  change: DefinitionChange,
  { onDefinitionChange }: Pick<McpOptions, 'onDefinitionChange'>,
  held: readonly DefinitionChange[],
): Promise<boolean> {
  if (held.some((other) => isSame(other.after, change.after))) return false
  return (await onDefinitionChange?.(change)) === true
}
