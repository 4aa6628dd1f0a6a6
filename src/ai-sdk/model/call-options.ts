import type { ModelConfigData, ToolChoice } from '../../protocol/model.ts'
import { defined } from '../../providers/core/defined.ts'
import type { ModelRequest } from '../../providers/provider.ts'
import type { LanguageModelLike } from './language-model.ts'
import { toPrompt, type Specification } from './to-prompt.ts'

interface Call {
  /** Id of the provider. */
  readonly id: string
  readonly made: LanguageModelLike
  readonly config: ModelConfigData
  readonly request: ModelRequest
  readonly headers: { readonly [name: string]: string }
  readonly signal: AbortSignal
}

/** Options for `doStream`. Unset ones are left out. */
export function callOptions({ id, made, config, request, headers, signal }: Call): {
  readonly [name: string]: unknown
} {
  const fields = {
    prompt: toPrompt(request, { id, specification: specificationOf(made) }),
    abortSignal: signal,
    maxOutputTokens: config.maxOutputTokens,
    temperature: config.temperature,
    topP: config.topP,
    stopSequences: config.stop,
    seed: config.seed,
    headers: Object.keys(headers).length > 0 ? headers : undefined,
    includeRawChunks: request.raw || undefined,
    ...toolFields(request, config),
  }
  return defined(fields)
}

function specificationOf({ specificationVersion }: LanguageModelLike): Specification {
  return specificationVersion === 'v2' || specificationVersion === 'v3'
    ? specificationVersion
    : 'v4'
}

function toolFields(
  { tools, toolMode }: ModelRequest,
  { toolChoice }: ModelConfigData,
): { readonly [name: string]: unknown } {
  if (toolMode === 'action' || tools.length === 0) return {}
  return {
    tools: tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      name,
      description,
      // Vendors insist on an object schema, also for a tool without parameters.
      inputSchema: { type: 'object', properties: {}, ...inputSchema },
    })),
    toolChoice: choiceOf(toolChoice),
  }
}

function choiceOf(choice: ToolChoice | undefined): object | undefined {
  if (choice === undefined) return undefined
  return typeof choice === 'object' ? { type: 'tool', toolName: choice.toolName } : { type: choice }
}
