import type { ToolDefinition } from '../protocol/tool.ts'
import { describeShape } from './describe-shape.ts'
import { promptExamples } from './prompt-examples.ts'
import { indexTools, makeTags } from './tool-index.ts'
import type { IndexedTool } from './tool-index.ts'

/** Instructions that the model can load on demand; not callable as a tool. */
export interface Skill {
  readonly name: string
  readonly description: string
}

export interface ActionPromptOptions {
  /** False: one call in a block. Default true. */
  readonly parallelToolCalls?: boolean | undefined
}

/**
 * The instructions that teach a model without native function calling to write `<ACTION>` blocks: the
 * rules, the tools, the skills, and examples made from the tools themselves. Descriptions are put on
 * one line with their markup escaped, so that none can pass for a block or a section.
 */
export function actionPrompt(
  tools: readonly ToolDefinition[],
  skills: readonly Skill[] = [],
  options: ActionPromptOptions = {},
): string {
  const index = indexTools(tools)
  const { parallelToolCalls: several = true } = options
  const sections = [
    rules(several),
    `# Tools\n\n${index.tools.map(describeTool).join('\n') || 'None.'}`,
  ]
  if (skills.length > 0) sections.push(describeSkills(skills))
  if (tools.length > 0)
    sections.push(`# Examples\n\n${promptExamples(index.tools, tools, several)}`)
  return sections.join('\n\n')
}

const rules = (several: boolean): string => `# How to act

To use tools, say in a sentence why, then end your reply with one <ACTION> block.
- Each element in the block is a call, named after its tool; the elements in it are the parameters. Names are exact.
- ${several ? 'Several calls run in order' : 'Make one call at a time'}.
- A list is <item> elements, an object one element per property.
- Put code, markup or anything with < or & in <![CDATA[ ]]>.
- Then you get one "Observation:" per call. Never write one yourself. After an error, correct the call.
- To answer without a tool, write no block.`

function describeTool(tool: IndexedTool): string {
  const tags = makeTags(tool.input.properties.keys())
  const parameters = [...tool.input.properties].map(([name, schema]) => {
    const shape = tool.reader.shape(schema)
    const need = tool.input.required.has(name) ? 'required' : 'optional'
    const fallback =
      shape.fallback === undefined ? '' : `, default ${JSON.stringify(shape.fallback)}`
    const about = shape.description === undefined ? '' : `: ${oneLine(shape.description)}`
    const type = oneLine(describeShape(shape, tool.reader))
    return `\n  - ${tags.get(name) ?? name} (${type}, ${need}${oneLine(fallback)})${about}`
  })
  return `- ${tool.tag}: ${oneLine(tool.description)}${parameters.join('')}`
}

/** The section that lists skills, apart from tools; '' when there are none. */
export function describeSkills(skills: readonly Skill[]): string {
  return skills.length > 0 ? `# Skills\n\n${skills.map(describeSkill).join('\n')}` : ''
}

function describeSkill(skill: Skill): string {
  return `- ${oneLine(skill.name)}: ${oneLine(skill.description)}`
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
