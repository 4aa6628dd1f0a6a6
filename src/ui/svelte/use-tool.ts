import {
  type AnyTool,
  type CompositeToolWith,
  mountTool,
  type ToolWith,
} from '../bindings/mounted-tools.ts'
import type { JsonSchema, StandardSchema } from '../../index.ts'
import { type Given, read, watch, whileMounted } from './context.ts'

/** Registers a tool while the component is mounted. A function may build the tool from state; the newest one is used. */
export function useTool<
  const Schema extends JsonSchema | StandardSchema = JsonSchema,
  Output = unknown,
>(tool: Given<ToolWith<Schema, Output>>): void
/** Registers a tool that calls other tools. It has `run` in place of `execute`. */
export function useTool<
  const Schema extends JsonSchema | StandardSchema = JsonSchema,
  Output = unknown,
>(tool: Given<CompositeToolWith<Schema, Output>>): void
export function useTool(tool: Given<AnyTool>): void {
  whileMounted((agent) => {
    let newest = read(tool)
    const mounted = mountTool(agent, () => newest)
    const stop = watch(
      () => read(tool),
      (now) => {
        newest = now
        mounted.redefine()
        return () => {}
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
  whileMounted((agent) => agent.addContext(() => read(value)))
}
