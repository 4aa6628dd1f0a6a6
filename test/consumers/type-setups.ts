/** A compilation of a user's app, with `skipLibCheck: false`. */
export interface Compilation {
  readonly resolution: string
  readonly lib: readonly string[]
  readonly exactOptional: boolean
}

export interface TypeSetup {
  readonly title: string
  /** The compiler's folder in the node_modules of `apps/compilers`. */
  readonly compiler: string
  readonly resolutions: readonly string[]
}

const ALL = ['node16', 'nodenext', 'bundler']

export const typeSetups: readonly TypeSetup[] = [
  { title: 'TypeScript 5.4', compiler: 'typescript-5.4', resolutions: [...ALL, 'node'] },
  { title: 'TypeScript 5.9', compiler: 'typescript-5.9', resolutions: [...ALL, 'node'] },
  { title: 'TypeScript 6', compiler: 'typescript-6', resolutions: ALL },
  { title: 'TypeScript 7', compiler: 'typescript-7', resolutions: ALL },
]

const LANGUAGES = ['ES2022', 'ES2023', 'ESNext']
const PAGES = [['DOM'], ['DOM', 'DOM.Iterable'], ['DOM', 'DOM.Iterable', 'DOM.AsyncIterable']]

/** Every resolution with every language and with every lib of the page, and every two of these. */
export function compilationsOf(resolutions: readonly string[]): Compilation[] {
  return resolutions.flatMap((resolution, row) =>
    LANGUAGES.map((language, column) => ({
      resolution,
      lib: [language, ...(PAGES[(row + column) % PAGES.length] ?? [])],
      exactOptional: (row + column) % 2 === 0,
    })),
  )
}
