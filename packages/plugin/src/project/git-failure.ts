// An error for git giving no answer in time, on a drive that hangs, say, or while something holds a lock.

export class GitFailure extends Error {
  override readonly name = "NoAnswer";

  constructor(
    readonly directory: string,
    question: string,
  ) {
    super(`git ${question} gave no answer.`);
  }
}
