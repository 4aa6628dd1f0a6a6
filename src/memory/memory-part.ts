import { describeThrown, OffstageError } from '../protocol/error.ts'

/** Loads a part of the memory that isn't needed at once: most of the code, and the libraries behind it. */
export async function memoryPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch (cause) {
    throw new OffstageError(
      'worker-load-failed',
      `The memory could not be loaded: ${describeThrown(cause)}`,
      { retryable: true, cause },
    )
  }
}
