import type { Agent, CompositeTool, StandardSchema, Tool } from '../index.ts'

export type AnyTool = Tool | CompositeTool

/** A tool of a component, as long as that is mounted. */
export interface MountedTool {
  /** This one's functions are called from now on. */
  update(tool: AnyTool): void
  /** Registers it anew if its name or schema is another. */
  redefine(): void
  unmount(): void
}

interface Entry {
  tool: AnyTool
}

/** What components have mounted under one name: the last one counts. */
interface Place {
  readonly name: string
  readonly entries: Entry[]
  /** The last one's, also right after it was unmounted. */
  newest: AnyTool
  /** Of what is registered. */
  registered: AnyTool | undefined
  unregister(): void
}

const DRAFT = { target: 'draft-2020-12' } as const

const places = new WeakMap<Agent, Map<string, Place>>()

/**
 * Registers a tool. A component that is unmounted and mounted again at once (another key, a strict or a hot reload) keeps
 * its registration, and with it the calls that run.
 */
export function mountTool(agent: Agent, tool: AnyTool): MountedTool {
  const entry = { tool }
  let place = enter(agent, entry)
  return {
    update(newest) {
      entry.tool = newest
      if (place.entries.at(-1) === entry) place.newest = newest
    },
    redefine() {
      if (entry.tool.name === place.name) return settle(agent, place)
      leave(agent, place, entry)
      place = enter(agent, entry)
    },
    unmount: () => leave(agent, place, entry),
  }
}

function enter(agent: Agent, entry: Entry): Place {
  const { tool } = entry
  const { name } = tool
  const named = places.get(agent) ?? new Map<string, Place>()
  places.set(agent, named)
  const place: Place = named.get(name) ?? {
    name,
    entries: [],
    newest: tool,
    registered: undefined,
    unregister() {},
  }
  place.entries.push(entry)
  try {
    settle(agent, place)
  } catch (thrown) {
    place.entries.pop()
    if (place.entries.length > 0) settle(agent, place)
    throw thrown
  }
  named.set(name, place)
  if (place.entries.length > 1) warn(name)
  return place
}

function leave(agent: Agent, place: Place, entry: Entry): void {
  const at = place.entries.indexOf(entry)
  // It could not be registered under its new name.
  if (at === -1) return
  place.entries.splice(at, 1)
  if (place.entries.length > 0) return settle(agent, place)
  // Later than what mounts it again, and than the end of an agent whose provider is unmounted with it.
  setTimeout(() => {
    const named = places.get(agent)
    if (place.entries.length > 0 || named?.get(place.name) !== place) return
    named.delete(place.name)
    place.unregister()
  })
}

/** Registers what counts now, unless that is what is registered. */
function settle(agent: Agent, place: Place): void {
  const { newest: before, registered } = place
  place.newest = place.entries.at(-1)?.tool ?? before
  if (registered && hasSchemaOf(registered, place.newest)) return
  place.unregister()
  place.registered = undefined
  place.unregister = () => {}
  place.unregister = agent.registerTool(() => place.newest)
  place.registered = place.newest
}

function hasSchemaOf(a: AnyTool, b: AnyTool): boolean {
  const isSame = a.inputSchema === b.inputSchema && a.jsonSchema === b.jsonSchema
  return isSame || schemaOf(a) === schemaOf(b)
}

/** What is written anew for each rendering is another object of the same form. */
function schemaOf({ inputSchema, jsonSchema }: AnyTool): string | undefined {
  const schema: object | undefined = jsonSchema ?? inputSchema
  return JSON.stringify(isStandard(schema) ? schema['~standard'].jsonSchema?.input(DRAFT) : schema)
}

function isStandard(schema: object | undefined): schema is StandardSchema {
  return schema !== undefined && '~standard' in schema
}

/** To developers. */
function warn(name: string): void {
  if (/^(localhost|127\.[\d.]+|\[::1\])$/.test(globalThis.location?.hostname))
    console.warn(`Two mounted components have a tool named ${name}: the last one counts.`)
}
