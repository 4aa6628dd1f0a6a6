/**
 * Which mutants each test reaches, by the bits that `worker-setup.ts` has noted. A mutant that an import or a hook reaches
 * concerns every test of the file, and, since modules are shared between files, every test that reaches its module.
 *
 * @param {readonly { file: string, reached: string, reachedBefore: string }[]} tests
 * @param {readonly { file: string }[]} mutants All, in the order of their numbers.
 */
export function reachedBy(tests, mutants) {
  const [reached, before] = ['reached', 'reachedBefore'].map((key) => decodeAll(tests, key))
  const atImport = new Set(before.flatMap((numbers) => [...numbers]))
  return tests.map((test, index) => {
    const numbers = new Set([...reached[index], ...before[index]])
    const modules = new Set([...numbers].map((number) => mutants[number].file))
    for (const number of atImport) if (modules.has(mutants[number].file)) numbers.add(number)
    return { ...test, numbers, perModule: countsOf(numbers, mutants), mutants }
  })
}

/**
 * The tests to try a mutant with, the most specific first, and how many there are in all. Tests whose reach is mostly the
 * mutant's own module are about it. `share` limits them, as a part of the time that all tests take together: on a busy
 * machine everything takes longer, and the choice stays the same.
 */
export function testsFor(reach, number, share) {
  const reaching = reach.filter(({ numbers }) => numbers.has(number))
  const limitMs = share * reach.reduce((sum, { ms }) => sum + ms, 0)
  const chosen = []
  let ms = 0
  for (const test of reaching.toSorted((a, b) => focusOf(b, number) - focusOf(a, number))) {
    if (ms > limitMs) break
    ms += test.ms
    chosen.push(test)
  }
  return { tests: chosen, reaching: reaching.length }
}

/** The share of the mutant's module in all that the test reaches. */
function focusOf({ numbers, perModule, mutants }, number) {
  return (perModule.get(mutants[number].file) ?? 0) / numbers.size
}

function countsOf(numbers, mutants) {
  const counts = new Map()
  for (const number of numbers) {
    const { file } = mutants[number]
    counts.set(file, (counts.get(file) ?? 0) + 1)
  }
  return counts
}

/** The same bits come with every test of a file, so each text is decoded once. */
function decodeAll(tests, key) {
  const cache = new Map()
  return tests.map((test) => {
    const text = test[key]
    if (!cache.has(text)) cache.set(text, numbersIn(text))
    return cache.get(text)
  })
}

function numbersIn(text) {
  const numbers = []
  for (const [index, byte] of Buffer.from(text, 'base64').entries())
    for (let bit = 0; bit < 8; bit += 1) if (byte & (1 << bit)) numbers.push(8 * index + bit)
  return numbers
}
