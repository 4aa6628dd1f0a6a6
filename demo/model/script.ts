import type { Script } from 'offstage'
import type { Scene } from '../app.ts'

/** Prompts to suggest, the best one first. */
export function suggestionsOf(scenes: readonly Scene[]): readonly string[] {
  return scenes.filter(({ isSuggested }) => isSuggested).map(({ prompt }) => prompt)
}

export function scriptOf(scenes: readonly Scene[]): Script {
  return {
    scenes: scenes.map(({ script }) => script),
    fallback: [{ text: describeScenes(scenes) }],
    paceMs: 15,
    pieceLength: 3,
  }
}

function describeScenes(scenes: readonly Scene[]): string {
  return [
    'This demo runs without a model, so I can only answer these:',
    '',
    ...scenes.map(({ prompt }) => `- ${prompt}`),
    '',
    'For everything else, connect a model.',
  ].join('\n')
}
