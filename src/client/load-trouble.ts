import { loadPart } from './load-part.ts'
import type { StartFailure } from './start-failure.ts'
import type * as trouble from './start-trouble/start-trouble.ts'

/** Loads what is needed only when a worker doesn't start; without it, the error says what shows by itself. */
export const loadTrouble = ({ thrown }: StartFailure): Promise<typeof trouble> =>
  loadPart(() => import('./start-trouble/start-trouble.ts'), thrown)
