import { expectTypeOf, test } from 'vitest'
import type { Agent, Tool } from '../../src/index.ts'
import {
  agentCallable,
  agentFromConfig,
  toolsFrom,
  type AgentConfig,
  type CallableOptions,
} from '../../src/tools-from.ts'

test('a marked function keeps its type, as a call and as a decorator', () => {
  const add = agentCallable({ description: 'Adds.' })((sku: string, quantity = 1) => sku + quantity)
  expectTypeOf(add).toEqualTypeOf<(sku: string, quantity?: number) => string>()

  class Cart {
    @agentCallable({ needsApproval: true })
    add(sku: string): string {
      return sku
    }
    @agentCallable({})
    remove = async (sku: string): Promise<string> => sku
    @agentCallable({})
    static create(): Cart {
      return new Cart()
    }
    // @ts-expect-error -- a getter is no function
    @agentCallable({})
    get total(): number {
      return 0
    }
    // @ts-expect-error -- nor is text
    @agentCallable({})
    name = 'cart'
  }
  expectTypeOf<Cart['add']>().toEqualTypeOf<(sku: string) => string>()
  // @ts-expect-error -- its function is the method
  agentCallable({ execute: () => 1 })
})

test('toolsFrom accepts anything that has methods', () => {
  expectTypeOf(toolsFrom({ add: (sku: string) => sku })).toEqualTypeOf<Tool[]>()
  interface Shop {
    add(sku: string): void
  }
  const shop = {} as Shop
  toolsFrom(shop, { include: ['add', '_audit'], exclude: (name) => name.length > 9 })
  toolsFrom(shop, { include: 'marked', describe: { add: { annotations: { readOnly: true } } } })
  // @ts-expect-error -- no object
  toolsFrom('shop')
  // @ts-expect-error -- no such field
  toolsFrom(shop, { describe: { add: { parameters: {} } } })
  expectTypeOf<CallableOptions['pass']>().toEqualTypeOf<'object' | readonly string[] | undefined>()
})

test('a configuration may be any JSON, as imported from a file', () => {
  const model = { provider: 'ollama', model: 'm' }
  const imported = { model, toolApproval: 'writes', enabledTools: ['add'] }
  expectTypeOf(agentFromConfig(imported, { tools: [] })).toEqualTypeOf<Agent>()
  const written: AgentConfig = { model, toolApproval: 'never', storage: 'memory', maxSteps: 3 }
  agentFromConfig(written)
  // @ts-expect-error -- no such word
  expectTypeOf<AgentConfig>().toExtend<{ toolApproval: 'sometimes' }>()
  // @ts-expect-error -- a key is no part of it
  const keyed: AgentConfig = { model: { ...model, apiKey: 'k' } }
  agentFromConfig(keyed, { apiKey: () => 'k' })
  // @ts-expect-error -- it goes in the configuration
  agentFromConfig(written, { maxSteps: 3 })
})
