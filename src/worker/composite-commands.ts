import type { KeepAnswer, KeepOutcomes, NestedAnswer, NestedCall } from '../protocol/composite.ts'
import type { ConversationScope, RunRef } from '../protocol/scope.ts'
import type { ConversationRegistry } from './conversation-registry.ts'
import type { NestedCalls } from './run/nested-calls.ts'

/**
 * Answers requests from the functions of composite tools, for a run driven here. Null if that run is resumed elsewhere,
 * or later.
 */
export class CompositeCommands {
  readonly #registry: ConversationRegistry

  constructor(registry: ConversationRegistry) {
    this.#registry = registry
  }

  async callTool(call: NestedCall): Promise<NestedAnswer> {
    return (await this.#nestedOf(call)?.call(call)) ?? null
  }

  async keepOutcomes(kept: KeepOutcomes): Promise<KeepAnswer> {
    return (await this.#nestedOf(kept)?.keep(kept)) ?? null
  }

  #nestedOf({ runId, ...scope }: ConversationScope & RunRef): NestedCalls | null {
    const driver = this.#registry.find(scope)?.driver
    return driver?.runId === runId ? driver.nested : null
  }
}
