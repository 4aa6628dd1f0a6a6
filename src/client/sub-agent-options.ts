import type { JsonSchema } from '../protocol/json.ts'
import type { RunInput } from './options.ts'
import type { StandardSchema } from './standard-schema.ts'

/** Options of `asTool`: how other agents call this one. */
export interface SubAgentOptions<Input = unknown> {
  readonly name: string
  readonly title?: string
  /** Tells the calling model what the agent does and when to call it. */
  readonly description: string
  /** Default: `{ prompt: string }`. */
  readonly inputSchema?: JsonSchema | StandardSchema
  /** Makes the child run's message from the call's input. Default: the input's `prompt`, else the input as JSON. */
  toPrompt?(input: Input): RunInput
  /** Schema of the data that the calling model gets. Default: it gets the agent's last text. */
  readonly output?: JsonSchema | StandardSchema
  /** Model calls per child run. Default: the agent's `maxSteps`. */
  readonly maxSteps?: number
  /** Whether calls need approval, as for any tool. */
  readonly needsApproval?: boolean
}
