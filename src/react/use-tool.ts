import { type DependencyList, type RefObject, useEffect, useRef } from 'react'
import { type AnyTool, type MountedTool, mountTool } from '../bindings/mounted-tools.ts'
import type { CompositeToolWith, ToolWith } from '../bindings/tool-input.ts'
import type { JsonSchema, StandardSchema } from '../index.ts'
import { useAgent } from './context.ts'

/**
 * Registers a tool while the component is mounted. Its functions are those of the newest rendering. `deps`: what its name
 * and schema depend on; default: they are compared after each rendering.
 */
export function useTool<
  const Schema extends JsonSchema | StandardSchema = JsonSchema,
  Output = unknown,
>(tool: ToolWith<Schema, Output>, deps?: DependencyList): void
/** The same of a tool that calls other tools: it has `run` in place of `execute`. */
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

/** Adds a value to what the model is told of the page at each step, while the component is mounted: the newest one. */
export function useAgentContext(value: unknown): void {
  const agent = useAgent()
  const newest = useNewest(value)
  useEffect(() => agent?.addContext(() => newest.current), [agent, newest])
}

/** That of the newest rendering, for what is called later than the effects of it. */
function useNewest<Value>(value: Value): RefObject<Value> {
  const newest = useRef(value)
  useEffect(() => {
    newest.current = value
  })
  return newest
}
