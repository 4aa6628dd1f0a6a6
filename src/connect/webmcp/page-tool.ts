import { canonicalJson } from '../../lib/json/canonical-json.ts'
import { readUntrustedSchema } from '../../lib/untrusted-data.ts'
import { cleanUntrustedText } from '../../lib/invisible.ts'
import type { JsonSchema } from '../../protocol/json.ts'
import { isOwnWindow } from './published-names.ts'
import type { RegisteredTool } from './model-context.ts'

const MAX_DESCRIPTION = 2000
const MAX_TITLE = 100

/** A page tool's definition. Its texts have no invisible characters and a limited length. */
export interface PageTool {
  /** Name under which the page registered the tool. */
  readonly pageName: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: JsonSchema
  /** The tool's own claim that it changes nothing. */
  readonly readOnly: boolean
  /** The tool's own claim that its output is untrusted content. */
  readonly untrustedContent: boolean
  /** The tool's own claim that a person should approve its calls. */
  readonly consequential: boolean
  /** True for a tool of a frame in this page, or of the page around this frame. */
  readonly isElsewhere: boolean
}

/** `problem` completes a sentence that begins with the tool's name. */
export type PageToolResult = { readonly tool: PageTool } | { readonly problem: string }

export function readPageTool(registered: RegisteredTool): PageToolResult {
  const parsedSchema = readUntrustedSchema(registered.inputSchema)
  if ('problem' in parsedSchema) return { problem: `its schema ${parsedSchema.problem}` }
  const { name, title, annotations } = registered
  const description = cleanText(registered.description, MAX_DESCRIPTION)
  return {
    tool: {
      pageName: name,
      ...(title && { title: cleanText(title, MAX_TITLE) }),
      description,
      inputSchema: parsedSchema.schema,
      readOnly: annotations?.readOnlyHint === true,
      untrustedContent: annotations?.untrustedContentHint === true,
      consequential: annotations?.consequentialHint === true,
      isElsewhere: !isOwnWindow(registered.window),
    },
  }
}

/** Whether two definitions are equal in every field. */
export function sameDefinition(first: PageTool, second: PageTool): boolean {
  return canonicalJson(first) === canonicalJson(second)
}

function cleanText(value: unknown, limit: number): string {
  const text = cleanUntrustedText(String(value)).trim()
  return text.length > limit ? `${text.slice(0, limit)}…` : text
}
