from greeting.words import greeting


def main() -> None:
    print(greeting("world"))
