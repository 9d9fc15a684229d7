// The line to the studio: asks with numbers, events in order, snapshots acknowledged one by one. It comes back by itself.
export interface Answer {
  ok: boolean;
  sentence: string;
  [key: string]: unknown;
}

export interface Listener {
  event(event: Record<string, any>): void;
  snapshot(bytes: ArrayBuffer): void;
  line(open: boolean): void;
}

export class Line {
  private socket: WebSocket | null = null;
  private last = 0;
  private readonly waiting = new Map<number, (answer: Answer) => void>();

  constructor(private readonly listener: Listener) {
    this.open();
  }

  private open(): void {
    const url = new URL("socket", location.href.split("#")[0]);
    url.protocol = "ws:";
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.listener.line(true);
    socket.onmessage = (message) => this.take(message.data);
    socket.onclose = () => {
      this.socket = null;
      for (const answer of this.waiting.values()) answer({ ok: false, sentence: "the studio is not there" });
      this.waiting.clear();
      this.listener.line(false);
      setTimeout(() => this.open(), 1000);
    };
    this.socket = socket;
  }

  private take(data: string | ArrayBuffer): void {
    if (data instanceof ArrayBuffer) {
      this.listener.snapshot(data);
      this.send({ ack: new DataView(data).getUint32(0, true) });
      return;
    }
    const found = JSON.parse(data);
    if ("event" in found) {
      this.listener.event(found);
      return;
    }
    const answer = this.waiting.get(found.id);
    this.waiting.delete(found.id);
    answer?.(found);
  }

  private send(message: object): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  ask(word: string, more: object = {}): Promise<Answer> {
    const id = ++this.last;
    return new Promise((done) => {
      if (this.send({ id, ask: word, ...more })) this.waiting.set(id, done);
      else done({ ok: false, sentence: "the studio is not there" });
    });
  }

  /** Without an answer: the next one counts. */
  tell(word: string, more: object): void {
    this.send({ ask: word, ...more });
  }
}
