import { type MaybeRefOrGetter, toValue, watch } from 'vue'
import {
  type AnyTool,
  type CompositeToolWith,
  mountTool,
  type ToolWith,
} from '../bindings/mounted-tools.ts'
import type { JsonSchema, StandardSchema } from '../../index.ts'
import { whileMounted } from './context.ts'

/** Registers a tool while the component is mounted. Pass a ref or getter to change the tool; the newest one is used. */
export function useTool<
  const Schema extends JsonSchema | StandardSchema = JsonSchema,
  Output = unknown,
>(tool: MaybeRefOrGetter<ToolWith<Schema, Output>>): void
/** Registers a tool that calls other tools. It has `run` in place of `execute`. */
export function useTool<
  const Schema extends JsonSchema | StandardSchema = JsonSchema,
  Output = unknown,
>(tool: MaybeRefOrGetter<CompositeToolWith<Schema, Output>>): void
export function useTool(tool: MaybeRefOrGetter<AnyTool>): void {
  whileMounted((agent) => {
    let newest = toValue(tool)
    const mounted = mountTool(agent, () => newest)
    const stop = watch(
      () => toValue(tool),
      (now) => {
        newest = now
        mounted.redefine()
      },
    )
    return () => {
      stop()
      mounted.unmount()
    }
  })
}

/** Adds a value to the model's page context while the component is mounted. Each step reads the newest value. */
export function useAgentContext(value: unknown): void {
  whileMounted((agent) => agent.addContext(() => toValue(value)))
}
