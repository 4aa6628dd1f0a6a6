import type { JsonValue } from '../../protocol/json.ts'
import { replaceInNames, type ToolOutput } from '../../protocol/message.ts'
import type { ToolDefinition, ToolDescriptor } from '../../protocol/tool.ts'

// Model APIs restrict tool names. Requests and answers use restricted names; everything else uses the tools' own names.

export type NamedTool = ToolDefinition & Pick<ToolDescriptor, 'forModel'>

interface NamedCall {
  readonly toolName: string
  readonly input?: JsonValue
  readonly output?: ToolOutput
}

/** The tool under its model name, with the model's parameter names. */
export function forModel<Tool extends NamedTool>(tool: Tool): Tool {
  return { ...tool, ...tool.forModel }
}

/** Renames a call or its result for the model. Leaves other names unchanged. */
export function toModelNames<Call extends NamedCall>(
  call: Call,
  tools: readonly NamedTool[],
): Call {
  const tool = tools.find(({ name }) => name === call.toolName)
  return renamed(call, tool, 1)
}

/** Renames a model's call to the tool's own names. Leaves other names unchanged. */
export function toOwnNames<Call extends NamedCall>(call: Call, tool?: NamedTool): Call {
  return renamed(call, tool, 0)
}

function renamed<Call extends NamedCall>(
  call: Call,
  tool: NamedTool | undefined,
  direction: 0 | 1,
): Call {
  if (!tool?.forModel) return call
  const { name, parameters } = tool.forModel
  const { input, output } = call
  return {
    ...call,
    toolName: direction ? name : tool.name,
    ...(input !== undefined && {
      input: replaceInNames(
        input,
        (each) => parameters.find((pair) => pair[1 - direction] === each)?.[direction] ?? each,
      ),
    }),
    // The model reads the message to correct its call, so the message has the model's names.
    ...(output?.type === 'error' && {
      output: {
        ...output,
        message: [[tool.name, name] as const, ...parameters].reduce(
          (message, [ownName, modelName]) =>
            /\w/.test(ownName) ? message.replaceAll(ownName, modelName) : message,
          output.message,
        ),
      },
    }),
  }
}
