/** Mixed Markdown of any length, as models write it, in tokens of four characters. */

const BLOCKS = [
  (n) => `## Option ${n}\n\n`,
  (n) =>
    `The **${n}th** option keeps *most* of what you have, and is described in \`option-${n}.ts\` and on [its page](https://example.org/options/${n}). It costs a little more, but saves the work of an afternoon; ~~nobody~~ hardly anybody will notice the difference.\n\n`,
  (n) =>
    `- a point about number ${n}\n- another one, with \`code\` in it\n  - and one below it\n  - and **its** neighbour\n- the last point\n\n`,
  (n) =>
    `\`\`\`ts\nexport function option${n}(values: readonly number[]): number {\n  // Sums what is above ${n}.\n  return values.filter((value) => value > ${n}).reduce((sum, value) => sum + value, 0)\n}\n\`\`\`\n\n`,
  (n) =>
    `| name | price | in stock |\n| --- | ---: | --- |\n| mug ${n} | ${n}.50 | yes |\n| bowl | 12.00 | **no** |\n| plate | 9.95 | yes, \`3\` |\n\n`,
  (n) =>
    `1. Open the settings.\n2. Choose number ${n}.\n3. Save, and wait until it says so.\n\n> What is quoted here was said by somebody who had tried option ${n} before.\n\n`,
]

const CHARACTERS_OF_TOKEN = 4

/** At least so many characters. */
function mixedMarkdown(characters) {
  let text = ''
  for (let n = 0; text.length < characters; n += 1) text += BLOCKS[n % BLOCKS.length](n)
  return text
}

/** Exactly so many tokens. */
export function tokensOf(count) {
  const text = mixedMarkdown(count * CHARACTERS_OF_TOKEN)
  return Array.from({ length: count }, (_, at) =>
    text.slice(at * CHARACTERS_OF_TOKEN, (at + 1) * CHARACTERS_OF_TOKEN),
  )
}
