// Where whoever has a model write segments meets whoever folds with them.
import { noneWritten, type ReadWritten, type WrittenSegment } from "../history/written.ts";
import type { HostMessage } from "../projection/message.ts";

export class WrittenSegments {
  #read: ReadWritten = noneWritten;

  /** From now on this is asked; it is called in the path of calls, so that it has to be quick. */
  offer(read: ReadWritten): void {
    this.#read = read;
  }

  of(messages: readonly HostMessage[]): readonly WrittenSegment[] {
    return this.#read(messages);
  }
}
