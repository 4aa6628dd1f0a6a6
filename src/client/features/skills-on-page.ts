import { textDigest } from '../../lib/text-digest.ts'
import type { SkillText } from '../../protocol/page-calls.ts'
import type { ToolDescriptor } from '../../protocol/tool.ts'
import { cleanName } from '../tools/clean-name.ts'
import { prepareTool } from '../tools/prepare-tool.ts'
import type { Skill } from './skill.ts'
import type { ToolRegistry } from '../tools/tool-registry.ts'
import type { CompositeTool, Tool } from '../tools/tool.ts'

/** Maximum part of a file that one call reads. */
const MAX_FILE_CHARACTERS = 50_000

/** Returns the parts of a skill that are stored when it is activated. Null if no skill has this name. */
export function skillText(skills: readonly Skill[], name: string): SkillText | null {
  const skill = skills.find((each) => each.name === name)
  if (!skill) return null
  const { instructions: text, loaded = false } = skill
  const files = Object.keys(skill.files ?? {})
  const ownToolNames = (skill.tools ?? []).map((tool) => tool.name)
  const restrictTools = skill.restrictTools && [
    ...new Set([...skill.restrictTools, ...ownToolNames, 'read_skill_file'].map(cleanName)),
  ]
  const content = {
    text,
    ...(restrictTools && { restrictTools }),
    ...(files.length > 0 && { files }),
    ...(loaded && { loaded }),
  }
  return { name, hash: textDigest(JSON.stringify(content)), ...content }
}

/**
 * Marks the tools that only a skill provides, and adds the tool that activates skills. `agentTools`: tools that the
 * agent has without any skill.
 */
export function withSkills<Described extends Pick<ToolDescriptor, 'name' | 'skills'>>(
  tools: readonly Described[],
  skills: readonly Skill[],
  agentTools: readonly (Tool | CompositeTool)[] = [],
): (Described | ToolDescriptor)[] {
  const marked = tools.map((tool) => {
    const owners = skills.flatMap(({ name, tools: skillTools = [] }) =>
      skillTools.some((each) => each.name === tool.name && !agentTools.includes(each)) ? name : [],
    )
    return owners.length > 0 ? { ...tool, skills: owners } : tool
  })
  return [...marked, activateSkill(skills)]
}

function activateSkill(skills: readonly Skill[]): ToolDescriptor {
  return {
    name: 'activate_skill',
    title: 'Activate a skill',
    description:
      'Bring a skill into use before you do what it is for. Its instructions then stand under "# Active skills".',
    inputSchema: {
      type: 'object',
      properties: { name: { enum: skills.map(({ name }) => name) } },
      required: ['name'],
    },
    annotations: { readOnly: true },
    timeoutMs: 60_000,
    parallelSafe: false,
    sequential: true,
    needsApproval: false,
    hasReconcile: false,
    definition: 'control',
    control: 'activate-skill',
  }
}

/** Registers the tool that reads files, if there are any. */
export function provideFiles(registry: ToolRegistry, skills: readonly Skill[]): void {
  if (skills.some(({ files }) => files) && !registry.get('read_skill_file'))
    registry.provide({ ...prepareTool(readSkillFile(skills)), isAlwaysEnabled: true })
}

/** Creates the tool that reads files of skills. Other files can't be read: a path is a key, and is never resolved. */
function readSkillFile(skills: readonly Skill[]): Tool {
  return {
    name: 'read_skill_file',
    title: 'Read a file of a skill',
    description: 'Read a file of a skill, by its path as it is listed with the active skill.',
    inputSchema: {
      type: 'object',
      properties: {
        skill: { type: 'string' },
        path: { type: 'string' },
        offset: { type: 'integer', minimum: 0, description: 'Characters to skip. Default 0.' },
      },
      required: ['skill', 'path'],
    },
    annotations: { readOnly: true, untrustedContent: skills.some(({ loaded }) => loaded) },
    needsApproval: false,
    timeoutMs: 30_000,
    async execute(input, { signal }) {
      const request = input as { skill: string; path: string; offset?: number }
      return readFile(skills, request, signal)
    },
  }
}

async function readFile(
  skills: readonly Skill[],
  request: { readonly skill: string; readonly path: string; readonly offset?: number },
  signal: AbortSignal,
): Promise<string> {
  const { skill: name, offset = 0 } = request
  const path = request.path.replace(/^\.\//, '')
  const files = skills.find((skill) => skill.name === name)?.files
  if (!files) throw new Error(`This page has no skill ${name} with files.`)
  const file = Object.hasOwn(files, path) ? files[path] : undefined
  if (file === undefined)
    throw new Error(
      `The skill ${name} has no file ${path}. It has ${Object.keys(files).join(', ')}.`,
    )
  const text: unknown = typeof file === 'function' ? await file({ signal }) : file
  if (typeof text !== 'string') throw new Error(`The file ${path} of the skill ${name} is no text.`)
  const piece = text.slice(offset, offset + MAX_FILE_CHARACTERS)
  const end = offset + piece.length
  return end < text.length
    ? `${piece}\n[These are the characters ${offset} to ${end} of ${text.length}: read on with offset ${end}.]`
    : piece
}
