import { canonicalJson } from '../lib/canonical-json.ts'
import { readForeignSchema } from '../lib/foreign-schema.ts'
import { withoutHidden } from '../lib/invisible.ts'
import type { JsonSchema } from '../protocol/json.ts'
import { isOwnWindow } from './published-names.ts'
import type { RegisteredTool } from './model-context.ts'

const MAX_DESCRIPTION = 2000
const MAX_TITLE = 100

/** What a page says of one of its tools: texts without invisible characters, cut to a length. */
export interface PageTool {
  /** As the page named it. */
  readonly pageName: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: JsonSchema
  /** It says of itself that it changes nothing. */
  readonly readOnly: boolean
  /** It says of itself that its output holds words of others. */
  readonly untrustedContent: boolean
  /** It says of itself that a person should be asked first. */
  readonly consequential: boolean
  /** Of a frame in this page, or of the page around it. */
  readonly isElsewhere: boolean
}

/** A problem follows the tool's name. */
export type Reading = { readonly tool: PageTool } | { readonly problem: string }

export function readPageTool(given: RegisteredTool): Reading {
  const read = readForeignSchema(given.inputSchema)
  if ('problem' in read) return { problem: `its schema ${read.problem}` }
  const { name, title, annotations } = given
  const description = words(given.description, MAX_DESCRIPTION)
  return {
    tool: {
      pageName: name,
      ...(title && { title: words(title, MAX_TITLE) }),
      description,
      inputSchema: read.schema,
      readOnly: annotations?.readOnlyHint === true,
      untrustedContent: annotations?.untrustedContentHint === true,
      consequential: annotations?.consequentialHint === true,
      isElsewhere: !isOwnWindow(given.window),
    },
  }
}

/** Equal as long as what is known of the tool is. */
export function sameDefinition(one: PageTool, other: PageTool): boolean {
  return canonicalJson(one) === canonicalJson(other)
}

function words(given: unknown, limit: number): string {
  const text = withoutHidden(String(given)).trim()
  return text.length > limit ? `${text.slice(0, limit)}…` : text
}
