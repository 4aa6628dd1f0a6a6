import type { JsonSchema } from '../protocol/json.ts'
import type { RunInput } from './options.ts'
import type { StandardSchema } from './standard-schema.ts'

/** How an agent is called by another one. */
export interface SubAgentOptions<Input = unknown> {
  readonly name: string
  readonly title?: string
  /** For the model that calls: what the agent does and when to ask it. */
  readonly description: string
  /** Default: `{ prompt: string }`. */
  readonly inputSchema?: JsonSchema | StandardSchema
  /** What the agent is asked. Default: `prompt` of the input, else the input as JSON. */
  toPrompt?(input: Input): RunInput
  /** Of the data that the calling model gets. Default: it gets the agent's last words. */
  readonly output?: JsonSchema | StandardSchema
  /** Model calls of one run. Default: the agent's. */
  readonly maxSteps?: number
  /** As a tool's. */
  readonly needsApproval?: boolean
}
