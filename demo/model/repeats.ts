import type { Message, Script, ScriptStep } from 'offstage'

const APOLOGY = 'That call was malformed, so it never ran. Once more.'

/** The script with each step repeated whose calls arrived malformed, as a model repeats them. */
export function withRepeats(script: Script, messages: readonly Message[]): Script {
  const brokenIndexes = brokenAnswers(messages)
  if (brokenIndexes.length === 0) return script
  const repeatSteps = (steps: readonly ScriptStep[]): readonly ScriptStep[] =>
    brokenIndexes.reduce((result, index) => {
      const step = result[index]
      return step ? result.toSpliced(index + 1, 0, { ...step, text: APOLOGY }) : result
    }, steps)
  return {
    ...script,
    scenes: (script.scenes ?? []).map((scene) => ({ ...scene, steps: repeatSteps(scene.steps) })),
  }
}

/** Positions of the answers with malformed calls, since the last message of a person. */
function brokenAnswers(messages: readonly Message[]): readonly number[] {
  const lastUserIndex = messages.findLastIndex(({ role, ...message }) => {
    return role === 'user' && !('synthetic' in message && message.synthetic)
  })
  return messages
    .slice(lastUserIndex + 1)
    .filter((message) => message.role === 'assistant')
    .flatMap(({ parts }, index) => {
      const isBroken = parts.some(
        (part) => part.type === 'tool-call' && part.error?.code === 'invalid-json',
      )
      return isBroken ? [index] : []
    })
}
