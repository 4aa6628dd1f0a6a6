import { type DependencyList, type RefObject, useEffect, useRef } from 'react'
import {
  type AnyTool,
  type CompositeToolWith,
  type MountedTool,
  mountTool,
  type ToolWith,
} from '../bindings/mounted-tools.ts'
import type { JsonSchema, StandardSchema } from '../../index.ts'
import { useAgent } from './context.ts'

/**
 * Registers a tool while the component is mounted. The tool's functions are those of the newest rendering. `deps`:
 * values that its name and schema depend on. Default: both are compared after each rendering.
 */
export function useTool<
  const Schema extends JsonSchema | StandardSchema = JsonSchema,
  Output = unknown,
>(tool: ToolWith<Schema, Output>, deps?: DependencyList): void
/** Registers a tool that calls other tools: it has `run` in place of `execute`. */
export function useTool<
  const Schema extends JsonSchema | StandardSchema = JsonSchema,
  Output = unknown,
>(tool: CompositeToolWith<Schema, Output>, deps?: DependencyList): void
export function useTool(tool: AnyTool, deps?: DependencyList): void {
  const agent = useAgent()
  const newest = useNewest(tool)
  const mounted = useRef<MountedTool>(undefined)
  useEffect(() => {
    mounted.current?.redefine()
  }, deps)
  useEffect(() => {
    if (!agent) return undefined
    const here = mountTool(agent, () => newest.current)
    mounted.current = here
    return () => {
      here.unmount()
      mounted.current = undefined
    }
  }, [agent, newest])
}

/** Adds a value to the model's live context while the component is mounted. Each step reads the newest value. */
export function useAgentContext(value: unknown): void {
  const agent = useAgent()
  const newest = useNewest(value)
  useEffect(() => agent?.addContext(() => newest.current), [agent, newest])
}

/** Returns a ref to the newest rendering's value, for functions that are called after its effects. */
function useNewest<Value>(value: Value): RefObject<Value> {
  const newest = useRef(value)
  useEffect(() => {
    newest.current = value
  })
  return newest
}
