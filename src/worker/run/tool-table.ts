import type { ReflectMode } from '../../protocol/fact.ts'
import type { StepContext } from '../../protocol/questions.ts'
import type { ToolDescriptor } from '../../protocol/tool.ts'
import { forModel } from '../model/model-names.ts'

/** The tools as the newest step saw them, or as the page named them since. */
export class ToolTable {
  /** By the tool's own name and the model's. */
  #tools: ReadonlyMap<string, ToolDescriptor> | null = null
  #sealing: readonly ToolDescriptor[] = []
  /** The page has a `beforeToolCall`. Assumed until a step says otherwise. */
  hasBeforeToolCall = true
  /** The page has a `verify`. Assumed in the same way. */
  hasVerify = true
  /** How the page has answers reflected on; null: not at all. Undefined until a step says so. */
  reflects: ReflectMode | null | undefined = undefined
  /** Names of registered tools that the newest step left out. */
  others: readonly string[] = []
  readonly #waiters = new Set<() => void>()

  /** False until the page was asked: a run that goes on after a reload begins without. */
  get isLoaded(): boolean {
    return this.#tools !== null
  }

  /** Those whose inputs may hold secrets. */
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

  /** What the page named for a step. */
  take({ tools, otherTools, hasBeforeToolCall, hasVerify, reflect }: StepContext): void {
    this.set(tools)
    this.others = otherTools ?? []
    this.hasBeforeToolCall = hasBeforeToolCall
    this.hasVerify = hasVerify === true
    this.reflects = reflect?.mode ?? null
  }

  /** The page's tools changed: whoever waits looks again. */
  changed(): void {
    for (const wake of this.#waiters) wake()
    this.#waiters.clear()
  }

  onChange(wake: () => void): void {
    this.#waiters.add(wake)
  }
}
