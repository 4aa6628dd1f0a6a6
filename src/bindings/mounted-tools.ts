import type { Agent, CompositeTool, StandardSchema, Tool } from '../index.ts'

export type AnyTool = Tool | CompositeTool

/** A tool of a component, as long as that is mounted. */
export interface MountedTool {
  /** Registers it anew if its name or schema is another. */
  redefine(): void
  unmount(): void
}

/** Reads the newest tool of a component: its functions are called. */
type Entry = () => AnyTool

/** What components have mounted under one name: the last one counts. */
interface Place {
  readonly name: string
  enter(entry: Entry): void
  /** Also what is there no more: it could not be registered under its new name. */
  leave(entry: Entry): void
  /** Registers what counts now, unless that is what is registered. */
  settle(): void
}

const places = new WeakMap<Agent, Map<string, Place>>()

/**
 * Registers a tool. A component that is unmounted and mounted again at once (another key, a strict or a hot reload) keeps
 * its registration, and with it the calls that run.
 */
export function mountTool(agent: Agent, newest: () => AnyTool): MountedTool {
  // Of its own: one function may be mounted twice.
  const entry: Entry = () => newest()
  let place = enter(agent, entry)
  return {
    redefine() {
      if (entry().name === place.name) return place.settle()
      place.leave(entry)
      place = enter(agent, entry)
    },
    unmount: () => place.leave(entry),
  }
}

function enter(agent: Agent, entry: Entry): Place {
  const { name } = entry()
  const named = places.get(agent) ?? new Map<string, Place>()
  places.set(agent, named)
  const place = named.get(name) ?? createPlace(agent, name, named)
  place.enter(entry)
  named.set(name, place)
  return place
}

function createPlace(agent: Agent, name: string, named: Map<string, Place>): Place {
  let entries: readonly Entry[] = []
  /** The last one, also right after it was unmounted. */
  let last: Entry
  let registered: AnyTool | undefined
  let unregister = (): void => {}
  const place: Place = {
    name,
    enter(entry) {
      entries = [...entries, entry]
      try {
        place.settle()
      } catch (thrown) {
        place.leave(entry)
        throw thrown
      }
      if (entries.length > 1) warn(name)
    },
    leave(entry) {
      entries = entries.filter((each) => each !== entry)
      if (entries.length > 0) return place.settle()
      // Later than what mounts it again, and than the end of an agent whose provider is unmounted with it.
      setTimeout(() => {
        if (entries.length > 0 || named.get(name) !== place) return
        named.delete(name)
        unregister()
      })
    },
    settle() {
      last = entries.at(-1) ?? last
      const tool = last()
      if (registered && hasSchemaOf(registered, tool)) return
      unregister()
      registered = undefined
      unregister = agent.registerTool(() => last())
      registered = tool
    },
  }
  return place
}

function hasSchemaOf(a: AnyTool, b: AnyTool): boolean {
  const isSame = a.inputSchema === b.inputSchema && a.jsonSchema === b.jsonSchema
  return isSame || schemaOf(a) === schemaOf(b)
}

/** What is written anew for each rendering is another object of the same form. */
function schemaOf({ inputSchema, jsonSchema }: AnyTool): string | undefined {
  const schema: object | undefined = jsonSchema ?? inputSchema
  const standard = (schema as Partial<StandardSchema> | undefined)?.['~standard']
  return JSON.stringify(standard ? standard.jsonSchema?.input({ target: 'draft-2020-12' }) : schema)
}

/** To developers. */
function warn(name: string): void {
  if (/^(localhost$|127\.|\[::1)/.test(globalThis.location?.hostname))
    console.warn(`Two components have a tool named ${name}: the last one counts.`)
}
