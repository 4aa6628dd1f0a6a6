import type {
  Agent,
  AnyToolOptions,
  CompositeTool,
  CompositeToolOptions,
  JsonSchema,
  StandardSchema,
  Tool,
  ToolDefinitionOptions,
} from '../../index.ts'

export type AnyTool = Tool | CompositeTool

/** The tool of a mounted component. */
export interface MountedTool {
  /** Registers the tool again if its name or schema has changed. */
  redefine(): void
  unmount(): void
}

/** Returns the newest tool of a component, so that its newest functions are called. */
type Entry = () => AnyTool

/** Components that mount a tool under the same name. The tool mounted last is registered. */
interface ToolSlot {
  readonly name: string
  enter(entry: Entry): void
  /** Removes an entry, or does nothing if a failed rename has removed it before. */
  leave(entry: Entry): void
  /** Registers the tool of the last entry, unless it is registered already. */
  register(): void
}

const slotsByAgent = new WeakMap<Agent, Map<string, ToolSlot>>()

/**
 * Registers a tool. If a component unmounts and remounts at once (another key, strict mode, a hot reload), its
 * registration and running calls are kept.
 */
export function mountTool(agent: Agent, newest: () => AnyTool): MountedTool {
  // Wraps `newest` in a function of its own, because one function may be mounted twice.
  const entry: Entry = () => newest()
  let slot = enter(agent, entry)
  return {
    redefine() {
      if (entry().name === slot.name) return slot.register()
      slot.leave(entry)
      slot = enter(agent, entry)
    },
    unmount: () => slot.leave(entry),
  }
}

function enter(agent: Agent, entry: Entry): ToolSlot {
  const { name } = entry()
  const slots = slotsByAgent.get(agent) ?? new Map<string, ToolSlot>()
  slotsByAgent.set(agent, slots)
  const slot = slots.get(name) ?? createSlot(agent, name, slots)
  slot.enter(entry)
  slots.set(name, slot)
  return slot
}

function createSlot(agent: Agent, name: string, slots: Map<string, ToolSlot>): ToolSlot {
  let entries: readonly Entry[] = []
  /** The last entry, even right after it was unmounted. */
  let last: Entry
  let registered: AnyTool | undefined
  let unregister = (): void => {}
  const slot: ToolSlot = {
    name,
    enter(entry) {
      entries = [...entries, entry]
      try {
        slot.register()
      } catch (thrown) {
        slot.leave(entry)
        throw thrown
      }
      if (entries.length > 1) warn(name)
    },
    leave(entry) {
      entries = entries.filter((each) => each !== entry)
      if (entries.length > 0) return slot.register()
      // Delayed, so that a remount can come first, or a provider that unmounts with the component can dispose of the
      // agent.
      setTimeout(() => {
        if (entries.length > 0 || slots.get(name) !== slot) return
        slots.delete(name)
        unregister()
      })
    },
    register() {
      last = entries.at(-1) ?? last
      const tool = last()
      if (registered && hasSameSchema(registered, tool)) return
      unregister()
      registered = undefined
      unregister = agent.registerTool(() => last())
      registered = tool
    },
  }
  return slot
}

function hasSameSchema(a: AnyTool, b: AnyTool): boolean {
  const isSame = a.inputSchema === b.inputSchema && a.jsonSchema === b.jsonSchema
  return isSame || schemaOf(a) === schemaOf(b)
}

/** Returns the schema as JSON: schemas written inline are new objects at each rendering, but equal as JSON. */
function schemaOf({ inputSchema, jsonSchema }: AnyTool): string | undefined {
  const schema: object | undefined = jsonSchema ?? inputSchema
  const standard = (schema as Partial<StandardSchema> | undefined)?.['~standard']
  return JSON.stringify(standard ? standard.jsonSchema?.input({ target: 'draft-2020-12' }) : schema)
}

/** Warns developers: on localhost only. */
function warn(name: string): void {
  if (/^(localhost$|127\.|\[::1)/.test(globalThis.location?.hostname))
    console.warn(`Two components have a tool named ${name}: the last one counts.`)
}

/** A tool with inferred types, as `defineTool` takes it. */
export type ToolWith<
  Schema extends JsonSchema | StandardSchema,
  Output,
  Shown = Output,
> = ToolDefinitionOptions<string, Schema, Output, Shown>

/** A composite tool with inferred types. */
export type CompositeToolWith<
  Schema extends JsonSchema | StandardSchema,
  Output,
  Shown = Output,
> = CompositeToolOptions<string, Schema, Output, Shown>

/** A tool of either kind with inferred types. */
export type AnyToolWith<
  Schema extends JsonSchema | StandardSchema,
  Output,
  Shown = Output,
> = AnyToolOptions<string, Schema, Output, Shown>
