import type { JsonValue } from '../../protocol/json.ts'
import type { ToolOutput } from '../../protocol/message.ts'
import { replaceInNames } from '../../protocol/replace-in.ts'
import type { ToolDefinition, ToolDescriptor } from '../../protocol/tool.ts'

// The model knows tools by names that its API takes. Only requests and answers have them: all else has the tools' own.

export type NamedTool = ToolDefinition & Pick<ToolDescriptor, 'forModel'>

interface NamedCall {
  readonly toolName: string
  readonly input?: JsonValue
  readonly output?: ToolOutput
}

/** The tool in the model's names. */
export function forModel<Tool extends NamedTool>(tool: Tool): Tool {
  return { ...tool, ...tool.forModel }
}

/** The call, or its result, in the model's names. A call that has them already stays as it is. */
export function toModelNames<Call extends NamedCall>(
  call: Call,
  tools: readonly NamedTool[],
): Call {
  const tool = tools.find(({ name }) => name === call.toolName)
  return renamed(call, tool, 1)
}

/** The call of the tool in the tool's own names. A call that has them already stays as it is. */
export function toOwnNames<Call extends NamedCall>(call: Call, tool?: NamedTool): Call {
  return renamed(call, tool, 0)
}

function renamed<Call extends NamedCall>(call: Call, tool: NamedTool | undefined, to: 0 | 1): Call {
  if (!tool?.forModel) return call
  const { name, parameters } = tool.forModel
  const { input, output } = call
  return {
    ...call,
    toolName: to ? name : tool.name,
    ...(input !== undefined && {
      input: replaceInNames(
        input,
        (each) => parameters.find((pair) => pair[1 - to] === each)?.[to] ?? each,
      ),
    }),
    // The words of an error name what the model has to mend.
    ...(output?.type === 'error' && {
      output: {
        ...output,
        message: [[tool.name, name] as const, ...parameters].reduce(
          (words, [own, model]) => (/\w/.test(own) ? words.replaceAll(own, model) : words),
          output.message,
        ),
      },
    }),
  }
}
