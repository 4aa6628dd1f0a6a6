/** What of a SKILL.md could not be taken as it stands. */
export interface SkillDiagnostic {
  /** Of the file, from 1. */
  readonly line: number
  readonly message: string
}

/** Thrown within the reader: the field that it is about is left out. */
export class Unreadable {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}
