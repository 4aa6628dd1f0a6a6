import type { CompositeTool, InferInput, JsonSchema, StandardSchema, Tool } from '../index.ts'

/** A tool with the input's type read from the schema, as `defineTool` takes it. */
export type ToolWith<Schema extends JsonSchema | StandardSchema, Output> = Omit<
  Tool<string, InferInput<Schema>, Output>,
  'inputSchema'
> & { readonly inputSchema?: Schema }

/** A composite tool with the input's type read from the schema. */
export type CompositeToolWith<Schema extends JsonSchema | StandardSchema, Output> = Omit<
  CompositeTool<string, InferInput<Schema>, Output>,
  'inputSchema'
> & { readonly inputSchema?: Schema }
