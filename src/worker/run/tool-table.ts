import type { ReflectMode } from '../../protocol/fact.ts'
import type { StepContext } from '../../protocol/page-calls.ts'
import type { ToolDescriptor } from '../../protocol/tool.ts'
import { forModel } from '../model/model-names.ts'
import { meantName } from '../../action/foreign/foreign-call.ts'

/**
 * Returns the own name of the tool that a native call means, even if case, separators or a namespace differ. If no tool
 * or several registered ones (enabled or not) match, the name stays and the call is refused.
 */
export function resolveName(name: string, tools: ToolTable): string {
  return tools.get(meantName(name, [...tools.names, ...tools.others]) ?? '')?.name ?? name
}

/** The tools of the newest step, or those that the page has listed since. */
export class ToolTable {
  /** Tools by their own name and by their model name. */
  #tools: ReadonlyMap<string, ToolDescriptor> | null = null
  #sealing: readonly ToolDescriptor[] = []
  /** Whether the page has a `beforeToolCall` hook. Assumed true until a step says otherwise. */
  hasBeforeToolCall = true
  /** Whether the page has a `verify` hook. Assumed true until a step says otherwise. */
  hasVerify = true
  /** The page's mode of reflecting on answers. Null: it doesn't. Undefined: no step has said yet. */
  reflects: ReflectMode | null | undefined = undefined
  /** Names of registered tools that the newest step left out. */
  others: readonly string[] = []
  readonly #waiters = new Set<() => void>()

  /** False until the page has listed its tools. A run that is resumed after a reload starts without them. */
  get isLoaded(): boolean {
    return this.#tools !== null
  }

  /** Tools whose inputs may hold secrets. */
  get sealing(): readonly ToolDescriptor[] {
    return this.#sealing
  }

  /** Names that the model knows. */
  get names(): readonly string[] {
    return [...new Set(this.#tools?.values())].map((tool) => forModel(tool).name)
  }

  get(name: string): ToolDescriptor | undefined {
    return this.#tools?.get(name)
  }

  set(tools: readonly ToolDescriptor[]): void {
    this.#tools = new Map(
      tools.flatMap((tool) => [
        [forModel(tool).name, tool],
        [tool.name, tool],
      ]),
    )
    this.#sealing = tools.filter(({ seals }) => seals)
  }

  /** Takes the tools and hooks of a new step. */
  take({ tools, otherTools, hasBeforeToolCall, hasVerify, reflect }: StepContext): void {
    this.set(tools)
    this.others = otherTools ?? []
    this.hasBeforeToolCall = hasBeforeToolCall
    this.hasVerify = hasVerify === true
    this.reflects = reflect?.mode ?? null
  }

  /** Wakes everyone who waits for a change of the page's tools. */
  changed(): void {
    for (const wake of this.#waiters) wake()
    this.#waiters.clear()
  }

  onChange(wake: () => void): void {
    this.#waiters.add(wake)
  }
}
