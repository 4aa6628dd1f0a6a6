import type { Skill } from '../client/features/skill.ts'

/** Pattern from https://agentskills.io/specification. */
const NAME = /^[a-z\d]+(?:-[a-z\d]+)*$/
const MAX_NAME = 64
const MAX_DESCRIPTION = 1024
/** Maximum characters: about 25 000 tokens, sent with every request. */
const MAX_INSTRUCTIONS = 100_000
const MAX_FILES = 100
const MAX_PATH = 200

/** Problem with a skill's texts; null if they are valid. */
export function textProblem({
  name,
  description,
  instructions,
}: Partial<Record<'name' | 'description' | 'instructions', unknown>>): string | null {
  if (typeof name !== 'string' || name.length > MAX_NAME || !NAME.test(name))
    return `The skill name ${describeValue(name)} is not valid. Use a-z, 0-9 and single hyphens between them, ${MAX_NAME} characters at most.`
  if (!isFilled(description, MAX_DESCRIPTION))
    return `The skill ${name} needs a description of ${MAX_DESCRIPTION} characters at most: the model chooses by it.`
  return isFilled(instructions, MAX_INSTRUCTIONS)
    ? null
    : `The skill ${name} needs instructions of ${MAX_INSTRUCTIONS} characters at most. Move the rest to files.`
}

/** Problem with a skill's files; null if they are valid. */
export function fileProblem({ name, files = {} }: Pick<Skill, 'name' | 'files'>): string | null {
  const paths = Object.keys(files)
  if (paths.length > MAX_FILES) return `The skill ${name} has more than ${MAX_FILES} files.`
  const invalidPath = paths.find((path) => !isPath(path))
  if (invalidPath !== undefined)
    return `The skill ${name} has a wrong path ${describeValue(invalidPath)}. Use one relative to the skill, like references/sizes.md, without . or .. in it.`
  const invalidFile = Object.entries(files).find(
    ([, file]) => !/^(string|function)$/.test(typeof file),
  )
  return invalidFile
    ? `The file ${invalidFile[0]} of the skill ${name} must be a text or a function.`
    : null
}

/** Whether a path is relative, with single slashes and without characters that are special in a URL. */
export function isPath(path: unknown): path is string {
  return (
    typeof path === 'string' &&
    path.length <= MAX_PATH &&
    path.split('/').every((part) => /^[\p{L}\p{N}_ .()+,@~-]+$/u.test(part) && !/^\.+$/.test(part))
  )
}

function isFilled(text: unknown, maxLength: number): boolean {
  return typeof text === 'string' && text.trim() !== '' && text.length <= maxLength
}

/** Text of an invalid value, cut because a hostile name may be long. */
function describeValue(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 100)
}
